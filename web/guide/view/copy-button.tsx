import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

const shownMs = 2000;

/** Copies a text, and says for a moment whether it could: a browser may deny access to the clipboard. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }): JSX.Element {
  const [said, setSaid] = useState<string>();
  useEffect(() => {
    if (said === undefined) return undefined;
    const timer = setTimeout(() => setSaid(undefined), shownMs);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid("Copied"),
      () => setSaid("Not allowed"),
    );
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`Copy ${what}`}>
      <span role="status">{said ?? "Copy"}</span>
    </button>
  );
}
