import type { ComponentChildren, JSX } from "preact";
import { useRef } from "preact/hooks";
import { ThemeChoice } from "./theme-choice.tsx";

export interface ShellProps {
  /** The target of the program's name; a report has none. */
  readonly home?: string;
  readonly note?: string;
  readonly children: ComponentChildren;
}

/** The frame of every page. */
export function Shell({ home, note, children }: ShellProps): JSX.Element {
  const main = useRef<HTMLElement>(null);
  // The part of the address after # names the page, so this link must not change it.
  const skip = (event: Event) => {
    event.preventDefault();
    main.current?.focus();
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place on this page, as its address says */}
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <header class="top">
        {home === undefined ? (
          <span class="brand">millrace</span>
        ) : (
          <a class="brand" href={home}>
            millrace
          </a>
        )}
        {note !== undefined && <span class="note">{note}</span>}
        <ThemeChoice />
      </header>
      <main id="main" ref={main} tabIndex={-1}>
        {children}
      </main>
    </>
  );
}
