import type { JSX } from "preact";
import { formatCount } from "../format.ts";

export interface PagerProps {
  /** What is counted: "failures". */
  readonly what: string;
  readonly total: number;
  readonly offset: number;
  readonly limit: number;
  readonly go: (offset: number) => void;
}

/** Page navigation of a long list; empty if there is only one page. */
export function Pager({ what, total, offset, limit, go }: PagerProps): JSX.Element | null {
  if (total <= limit) return null;
  const last = Math.min(total, offset + limit);
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <button type="button" disabled={offset === 0} onClick={() => go(Math.max(0, offset - limit))}>
        Previous
      </button>
      <span>
        {formatCount(offset + 1)}–{formatCount(last)} of {formatCount(total)}
      </span>
      <button type="button" disabled={last >= total} onClick={() => go(offset + limit)}>
        Next
      </button>
    </nav>
  );
}
