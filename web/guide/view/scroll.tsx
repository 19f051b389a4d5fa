import type { ComponentChildren, JSX, RefObject } from "preact";

interface ScrollProps {
  readonly label: string;
  readonly box?: RefObject<HTMLElement | null>;
  readonly children: ComponentChildren;
}

/** Text that may be longer than its box: it scrolls, also by keyboard. */
export function Scroll({ label, box, children }: ScrollProps): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it no keyboard could scroll
    <section class="scroll" tabIndex={0} aria-label={label} {...(box === undefined ? {} : { ref: box })}>
      <pre>{children}</pre>
    </section>
  );
}
