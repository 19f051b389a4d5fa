import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { announce } from "./announcer.tsx";

/** A line to copy. If the browser denies access to the clipboard, the line is selected instead. */
export function CopyLine({ text, what }: { text: string; what: string }): JSX.Element {
  const line = useRef<HTMLElement>(null);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      announce(`Copied ${what}.`);
    } catch {
      getSelection()?.selectAllChildren(line.current!);
      announce(`${what} is selected: press Ctrl+C to copy it.`);
    }
  };
  return (
    <p class="copy-line">
      <code ref={line}>{text}</code>
      <button type="button" onClick={copy} aria-label={`Copy ${what}`}>
        Copy
      </button>
    </p>
  );
}
