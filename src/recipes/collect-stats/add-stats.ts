import { mergeFrameSums } from "../../speech.ts";
import { requireSameFrame, type SummedKey } from "./collect-stats-batch.ts";

/** Adds sums by key to others, and refuses frames of another shape. */
export function addStats(
  into: Record<string, SummedKey>,
  from: Readonly<Record<string, SummedKey>>,
  where: string,
): void {
  for (const [key, stats] of Object.entries(from)) {
    const before = into[key];
    if (before === undefined) {
      into[key] = { frameShape: stats.frameShape, sums: stats.sums };
      continue;
    }
    requireSameFrame(key, before.frameShape, stats.frameShape, where);
    mergeFrameSums(before.sums, stats.sums);
  }
}
