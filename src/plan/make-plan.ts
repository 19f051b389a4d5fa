import type { ItemList, Segment } from "./item-list.ts";
import type { Plan } from "./plan.ts";

export interface CutOptions {
  /**
   * Number of shards. Default: 16 per worker, at least 128, and one per batch if there are few batches. Where a shard costs
   * much, 4 per worker, at least 16.
   */
  readonly shards?: number | undefined;
  /** Shards end at multiples of this. Default: 1. */
  readonly batchSize?: number | undefined;
  /** Number of workers when the run is created. Used only for the default number of shards. */
  readonly workers: number;
  /** Whether claiming and committing a shard takes seconds, as on a slow file system. */
  readonly areShardsCostly?: boolean | undefined;
}

const usualShards = { perWorker: 16, min: 128 };
const costlyShards = { perWorker: 4, min: 16 };

/** A shard with this many batches or more is assumed to have quick batches, so uneven shards cost little time. */
export const quickShardBatches = 1000;

/**
 * Cuts the items into contiguous shards that end at batch boundaries. If the number of shards is given, all have equal
 * length. By default the last shards are shorter, so that workers wait only briefly for the last one.
 */
export function makePlan(items: ItemList, { shards, batchSize = 1, workers, areShardsCostly }: CutOptions): Plan {
  const batches = Math.ceil(items.count / batchSize);
  const shardCount = Math.min(
    shards ?? defaultShards(batches, workers, areShardsCostly ? costlyShards : usualShards),
    batches,
  );
  const isTapered = shards === undefined && shardCount < batches && batches < shardCount * quickShardBatches;
  const pieces = isTapered ? taper(batches, shardCount) : [{ batches, shards: shardCount }];
  return { items, bounds: cut(pieces, batchSize, items.count), shardCount };
}

// If there are few batches, each is probably slow. Then every batch is a shard, which spreads slow neighbours over the
// workers.
function defaultShards(batches: number, workers: number, { perWorker, min }: typeof usualShards): number {
  const wanted = Math.max(min, perWorker * workers);
  return batches <= 2 * wanted ? batches : wanted;
}

/** `batches` consecutive batches, cut into `shards` shards of equal length. */
interface Piece {
  readonly batches: number;
  readonly shards: number;
}

// For the shorter shards at the end: their fraction of all shards, and their fraction of all batches. The shards before
// them are twice as long as the average.
const taperedEnd = [
  { shards: 1 / 8, batches: 1 / 8 },
  { shards: 1 / 8, batches: 1 / 16 },
  { shards: 1 / 8, batches: 1 / 32 },
  { shards: 1 / 4, batches: 1 / 32 },
] as const;

function taper(batches: number, shards: number): Piece[] {
  const first = { batches, shards };
  const last = taperedEnd.map((share) => {
    const count = Math.floor(share.shards * shards);
    // Every shard has at least one batch.
    const piece = { shards: count, batches: Math.max(count, Math.round(share.batches * batches)) };
    first.shards -= piece.shards;
    first.batches -= piece.batches;
    return piece;
  });
  return [first, ...last];
}

// In each piece the first shards are one batch longer than the rest, so the bounds are two arithmetic sequences.
function cut(pieces: readonly Piece[], batchSize: number, itemCount: number): Segment[] {
  if (itemCount === 0) return [[0, 1, 1]];
  const bounds: Segment[] = [];
  let start = 0;
  for (const { batches, shards } of pieces) {
    const short = Math.floor(batches / shards) * batchSize;
    const longShards = batches % shards;
    const long = short + batchSize;
    bounds.push([start, long, longShards], [start + longShards * long, short, shards - longShards]);
    start += batches * batchSize;
  }
  // The last bound is the number of items, because the last batch may be incomplete.
  bounds.push([itemCount, 1, 1]);
  return bounds.filter(([, , count]) => count > 0);
}
