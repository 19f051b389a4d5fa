import type { ItemList, Segment } from "./item-list.ts";

/** The positions of one shard in the plan: from `from` up to, not including, `to`. */
export interface Shard {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Items cut into shards. Made once, when a run is created, and never cut again: neither the backend nor the number of
 * workers nor the batch size of a later resume changes it.
 */
export interface Plan {
  readonly items: ItemList;
  /** The `shardCount + 1` ends of the shards, as segments: ten thousand even shards are two of them. */
  readonly bounds: readonly Segment[];
  readonly shardCount: number;
}

/** Where shard `id` begins and ends. */
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
