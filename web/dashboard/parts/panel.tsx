import type { ComponentChildren, JSX } from "preact";

export interface PanelProps {
  readonly id: string;
  readonly title: string;
  readonly children: ComponentChildren;
  /** Shown to the right of the title. */
  readonly aside?: ComponentChildren;
}

/** A part of a page with its heading, which gets the focus when the page changes to it. */
export function Panel({ id, title, aside, children }: PanelProps): JSX.Element {
  return (
    <section class="panel" aria-labelledby={id}>
      <div class="panel-head">
        <h2 id={id} tabIndex={-1}>
          {title}
        </h2>
        {aside !== undefined && <div class="panel-aside">{aside}</div>}
      </div>
      {children}
    </section>
  );
}
