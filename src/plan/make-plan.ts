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

/** Batches of which a shard holds so many are quick ones: a shard more or less at the end takes no time to speak of. */
export const batchesOfQuickShard = 1000;

/**
 * Cuts the items into contiguous shards whose ends fall on batch ends. As many as are asked for are of equal length; by
 * default those at the end are shorter, so that the last worker to finish keeps the others waiting for moments only.
 */
export function makePlan(items: ItemList, { shards, batchSize = 1, workers }: CutOptions): Plan {
  const batches = Math.ceil(items.count / batchSize);
  const shardCount = Math.min(shards ?? defaultShards(batches, workers), batches);
  const isTapered = shards === undefined && shardCount < batches && batches < shardCount * batchesOfQuickShard;
  const pieces = isTapered ? taper(batches, shardCount) : [{ batches, shards: shardCount }];
  return { items, bounds: cut(pieces, batchSize, items.count), shardCount };
}

// Few batches are likely to be slow ones: where a shard would hold one or two, each gets its own, and heavy neighbours
// are shared out among the workers.
function defaultShards(batches: number, workers: number): number {
  const enough = Math.max(leastShards, shardsPerWorker * workers);
  return batches <= 2 * enough ? batches : enough;
}

/** So many batches in a row, cut into so many shards of equal length. */
interface Piece {
  readonly batches: number;
  readonly shards: number;
}

// What share of the shards holds what share of the batches, behind the first ones, which are twice as long as the average.
const endings = [
  { shards: 1 / 8, batches: 1 / 8 },
  { shards: 1 / 8, batches: 1 / 16 },
  { shards: 1 / 8, batches: 1 / 32 },
  { shards: 1 / 4, batches: 1 / 32 },
] as const;

function taper(batches: number, shards: number): Piece[] {
  const first = { batches, shards };
  const last = endings.map((share) => {
    const count = Math.floor(share.shards * shards);
    // Every shard holds a batch at least.
    const piece = { shards: count, batches: Math.max(count, Math.round(share.batches * batches)) };
    first.shards -= piece.shards;
    first.batches -= piece.batches;
    return piece;
  });
  return [first, ...last];
}

// In each piece the first shards are one batch longer than the rest, so that the ends are two arithmetic sequences.
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
  // The very last end is the number of items: its batch may not be full.
  bounds.push([itemCount, 1, 1]);
  return bounds.filter(([, , count]) => count > 0);
}
