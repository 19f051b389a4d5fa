import type { ComponentChildren, JSX } from "preact";
import { useId, useRef, useState } from "preact/hooks";

export interface ConfirmButtonProps {
  readonly label: string;
  /** The label inside the dialog, where it must not be mistaken for the cancel button. */
  readonly confirmLabel: string;
  readonly question: string;
  /** What will happen. */
  readonly children: ComponentChildren;
  readonly act: () => Promise<void>;
  readonly isDangerous?: boolean;
}

/** A button that asks for confirmation. */
export function ConfirmButton({
  label,
  confirmLabel,
  question,
  children,
  act,
  isDangerous,
}: ConfirmButtonProps): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isBusy, setBusy] = useState(false);
  const title = useId();
  const confirm = async () => {
    setBusy(true);
    try {
      await act();
    } finally {
      setBusy(false);
      dialog.current?.close();
    }
  };
  return (
    <>
      <button type="button" class={isDangerous ? "danger" : ""} onClick={() => dialog.current?.showModal()}>
        {label}
      </button>
      <dialog ref={dialog} aria-labelledby={title}>
        <h2 id={title}>{question}</h2>
        <p>{children}</p>
        <div class="dialog-buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            Keep as it is
          </button>
          <button type="button" class={isDangerous ? "danger" : "primary"} disabled={isBusy} onClick={confirm}>
            {confirmLabel}
          </button>
        </div>
      </dialog>
    </>
  );
}
