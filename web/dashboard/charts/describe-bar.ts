import type { AttemptView } from "../../../src/dashboard/run-view.ts";
import { formatClock, formatSpan, plural } from "../format.ts";
import type { Bar, Lane } from "../layout/timeline-layout.ts";
import { unitName } from "../model/unit-name.ts";

/** The description of a bar of the timeline. */
export function describeBar(
  { outcome, attempts: positions, shard }: Bar,
  { worker }: Lane,
  attempts: readonly AttemptView[],
): string {
  const [first, last] = [attempts[positions[0] ?? -1], attempts[positions.at(-1) ?? -1]];
  if (first === undefined || last === undefined) return `${worker}: shard ${shard}, running`;
  const place = `${worker}: ${positions.length === 1 ? `${unitName(first.unit)}, attempt ${first.attempt}` : plural(positions.length, "attempt")}`;
  const span = `${formatClock(first.began)} for ${formatSpan(last.ended - first.began)}`;
  const reason = last.reason === undefined ? "" : ` (${last.reason})`;
  return `${place}, ${outcome}${reason}, ${span}`;
}
