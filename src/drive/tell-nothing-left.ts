import { statSync } from "node:fs";
import { formatMoment } from "../shared/format-moment.ts";
import type { KnownShard } from "../store/known-shard.ts";
import type { RunPaths } from "../store/run-paths.ts";
import { formatCount } from "./progress-line.ts";

/** Says that a start had nothing to do, and since when: without it, a finished run and a run that was just made look alike. */
export function tellNothingLeft(paths: RunPaths, committed: ReadonlyMap<number, KnownShard>): void {
  const sum = { items: 0, failed: 0 };
  for (const { counts } of committed.values()) {
    sum.items += counts.items;
    sum.failed += counts.failed;
  }
  const when = formatMoment(statSync(paths.merged).mtimeMs);
  const failed = sum.failed === 0 ? "" : `; ${formatCount(sum.failed)} of them failed, millrace retry runs those again`;
  process.stderr.write(
    `millrace: nothing was left to do: all ${formatCount(sum.items)} items were done on ${when}${failed}\n`,
  );
}
