import type { ItemList, Segment } from "./item-list.ts";

/** The positions of one shard in the plan: `from` (inclusive) to `to` (exclusive). */
export interface Shard {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The items of a run, cut into shards. A plan is made once, when the run is created. Another launcher, number of
 * workers or batch size on resume does not change it.
 */
export interface Plan {
  readonly items: ItemList;
  /** The `shardCount + 1` bounds of the shards, as segments: ten thousand shards of equal length are two segments. */
  readonly bounds: readonly Segment[];
  readonly shardCount: number;
}

/** The first and last position of shard `id`. */
export function shardOf(plan: Plan, id: number): Shard {
  return { id, from: boundAt(plan.bounds, id), to: boundAt(plan.bounds, id + 1) };
}

function boundAt(bounds: readonly Segment[], wanted: number): number {
  let before = 0;
  for (const [start, step, count] of bounds) {
    if (wanted < before + count) return start + (wanted - before) * step;
    before += count;
  }
  throw new RangeError(`bound ${wanted} is outside the plan of ${before - 1} shards`);
}
