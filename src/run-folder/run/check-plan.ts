import type { Segment } from "../../plan/item-list.ts";
import { isCount } from "../shard/done.ts";

// A shard is a folder, and no file system lists more than a few million of them in one folder. The limit also bounds
// the memory that a manifest can ask for.
export const maxShards: number = 1 << 24;

/** Why these cannot be the items of a run; undefined if they can. */
export function checkSegments(segments: unknown, count: unknown): string | undefined {
  if (!isCount(count)) return "the number of its items is not a count";
  if (!Array.isArray(segments) || !segments.every(isSegment)) return "its items are not segments";
  return countIn(segments) === count ? undefined : `its segments hold ${countIn(segments)} items, not ${count}`;
}

/** Why a plan cannot have these shard bounds; undefined if it can. */
export function checkBounds(bounds: unknown, shards: unknown, items: number): string | undefined {
  if (!isCount(shards)) return "the number of its shards is not a count";
  if (shards > maxShards) return `it has ${shards} shards, more than a folder can hold`;
  if (!Array.isArray(bounds) || !bounds.every(isSegment)) return "the ends of its shards are not segments";
  if (countIn(bounds) !== shards + 1) return `it has ${shards} shards and the ends of ${countIn(bounds) - 1}`;
  let before = 0;
  for (const [start, step, count] of bounds) {
    const last = start + (count - 1) * step;
    if (start < before || step < 0 || !isCount(start) || !(last <= items))
      return "the ends of its shards are not in order";
    before = last;
  }
  return before === items ? undefined : `its shards end at item ${before} of ${items}`;
}

function isSegment(value: unknown): value is Segment {
  return (
    Array.isArray(value) &&
    value.length === 3 &&
    value.every((part) => Number.isSafeInteger(part)) &&
    isCount(value[2]) &&
    value[2] > 0
  );
}

function countIn(segments: readonly Segment[]): number {
  return segments.reduce((sum, [, , count]) => sum + count, 0);
}
