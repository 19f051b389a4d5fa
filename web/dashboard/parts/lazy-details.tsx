import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

/** Details that are rendered when they are opened: a closed long table costs nothing. */
export function LazyDetails({
  summary,
  children,
}: {
  summary: string;
  children: () => ComponentChildren;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children()}
    </details>
  );
}
