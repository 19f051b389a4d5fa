import type { ItemList, Segment } from "./item-list.ts";
import type { Plan } from "./plan.ts";

export interface CutOptions {
  /** How many shards are wanted; default: 16 a worker, at least 128, and one per batch where there are few batches. */
  readonly shards?: number | undefined;
  /** Shard ends fall on multiples of it; default 1. */
  readonly batchSize?: number | undefined;
  /** Workers at the time the run is created: only a hint for the default number of shards. */
  readonly workers: number;
}

const shardsPerWorker = 16;
const leastShards = 128;

/** Cuts the items into contiguous shards of nearly equal length whose ends fall on batch ends. */
export function makePlan(items: ItemList, { shards, batchSize = 1, workers }: CutOptions): Plan {
  const batches = Math.ceil(items.count / batchSize);
  const shardCount = Math.min(shards ?? defaultShards(batches, workers), batches);
  return { items, bounds: cut({ batches, batchSize, shardCount, itemCount: items.count }), shardCount };
}

// Few batches are likely to be slow ones: where a shard would hold one or two, each gets its own, and heavy neighbours
// are shared out among the workers.
function defaultShards(batches: number, workers: number): number {
  const enough = Math.max(leastShards, shardsPerWorker * workers);
  return batches <= 2 * enough ? batches : enough;
}

// The first shards are one batch longer than the rest, so that the ends are two arithmetic sequences.
function cut(of: { batches: number; batchSize: number; shardCount: number; itemCount: number }): Segment[] {
  if (of.shardCount === 0) return [[0, 1, 1]];
  const short = Math.floor(of.batches / of.shardCount) * of.batchSize;
  const longShards = of.batches % of.shardCount;
  const long = short + of.batchSize;
  const shortStart = longShards * long;
  // The very last end is the number of items: its batch may not be full.
  return [
    [0, long, longShards] as const,
    [shortStart, short, of.shardCount - longShards] as const,
    [of.itemCount, 1, 1] as const,
  ].filter(([, , count]) => count > 0);
}
