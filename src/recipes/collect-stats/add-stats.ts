import { mergeFrameSums } from "../../speech.ts";
import { type KeyStats, requireSameFrame } from "./collect-stats-batch.ts";

/** Adds sums by key to others, and refuses frames of another shape. */
export function addStats(
  into: Record<string, KeyStats>,
  from: Readonly<Record<string, KeyStats>>,
  where: string,
): void {
  for (const [key, stats] of Object.entries(from)) {
    const before = into[key];
    if (before === undefined) {
      into[key] = stats;
      continue;
    }
    requireSameFrame(key, before.frameShape, stats.frameShape, where);
    mergeFrameSums(before.sums, stats.sums);
  }
}
