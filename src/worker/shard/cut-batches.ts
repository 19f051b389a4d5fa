import type { WorkOptions } from "../../contract/work-options.ts";
import { MillraceError } from "../../errors/errors.ts";

export type CostOf = (idx: number) => number;

/**
 * How many of the indices, from `at` on, are in the next call of `forward`. Batches are cut while a shard runs, from
 * its current position: their bounds are not part of the plan.
 */
export function nextBatchLength(
  indices: readonly number[],
  at: number,
  { batchSize, batchBy }: Pick<WorkOptions, "batchSize" | "batchBy">,
  costOf: CostOf,
): number {
  const max = Math.min(batchSize ?? Number.POSITIVE_INFINITY, indices.length - at);
  if (batchBy === undefined) return max;
  let sum = 0;
  let maxCost = 0;
  for (let length = 0; length < max; length++) {
    const cost = checkCost(costOf(indices[at + length]!), indices[at + length]!);
    sum += cost;
    maxCost = Math.max(maxCost, cost);
    const total = batchBy.cost === "sum" ? sum : maxCost * (length + 1);
    if (total > batchBy.max) return Math.max(1, length);
  }
  return max;
}

function checkCost(cost: number, idx: number): number {
  if (Number.isFinite(cost) && cost >= 0) return cost;
  throw new MillraceError("BAD_RUNNER", `itemCost(${idx}) returned ${String(cost)}; a number from 0 was expected.`, {
    hint: "Return the cost of the item (seconds of audio, for instance) from the runner's static itemCost.",
  });
}
