import type { JSX } from "preact";
import type { Overview } from "../../../src/dashboard/run-view.ts";
import { formatCount, formatPercent } from "../format.ts";

/** The progress of a run: the items done, and the part that failed. */
export function ProgressBar({ items }: { items: Overview["items"] }): JSX.Element {
  const { total, done, failed } = items;
  const part = (count: number) => `${total === 0 ? 100 : (100 * count) / total}%`;
  return (
    <div
      class="progress"
      role="progressbar"
      aria-label="Items done"
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={done}
      aria-valuetext={`${formatPercent(done, total)}: ${formatCount(done)} of ${formatCount(total)} items`}
    >
      <div class="progress-done" style={{ width: part(Math.max(0, done - failed)) }} />
      <div class="progress-failed" style={{ width: part(failed) }} />
    </div>
  );
}
