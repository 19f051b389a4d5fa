import type { JSX } from "preact";

/** Shows that something could not be loaded, and why. */
export function Problem({ text, retry }: { text: string; retry?: () => void }): JSX.Element {
  return (
    <p class="notice notice-bad" role="alert">
      <span>{text}</span>
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </p>
  );
}
