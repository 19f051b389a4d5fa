/** A sequence of evenly spaced indices: first index, step, count. */
export type Segment = readonly [start: number, step: number, count: number];

/**
 * The items of a run, in the order the user gave them. Evenly spaced items are stored as segments, so a plan of ten
 * million is a few numbers; an irregular list is stored as one flat array of integers.
 */
export type ItemList = (
  | { readonly kind: "segments"; readonly segments: readonly Segment[] }
  | { readonly kind: "list"; readonly indices: Uint32Array | Float64Array }
) & {
  readonly count: number;
  /** The digest of the dataset that was given to `run`; the items are all of its rows. */
  readonly dataset?: string | undefined;
};

/** The item indices at positions `from` up to, not including, `to`. */
export function readItems(items: ItemList, from: number, to: number): number[] {
  if (items.kind === "list") return Array.from(items.indices.subarray(from, to));
  const out = new Array<number>(to - from);
  let segmentStart = 0;
  for (const [start, step, count] of items.segments) {
    const first = Math.max(from, segmentStart);
    const last = Math.min(to, segmentStart + count);
    for (let position = first; position < last; position++)
      out[position - from] = start + (position - segmentStart) * step;
    segmentStart += count;
    if (segmentStart >= to) break;
  }
  return out;
}

/** A sequence of evenly spaced items. */
export interface Piece {
  readonly first: number;
  readonly step: number;
  readonly count: number;
}

/** The evenly spaced items that begin at position `from`, up to position `to` at the latest. */
export function nextPiece(items: ItemList, from: number, to: number): Piece {
  if (items.kind === "list") return evenlySpaced(items.indices, from, to);
  let segmentStart = 0;
  for (const [start, step, count] of items.segments) {
    const segmentEnd = segmentStart + count;
    if (from < segmentEnd)
      return { first: start + (from - segmentStart) * step, step, count: Math.min(to, segmentEnd) - from };
    segmentStart = segmentEnd;
  }
  return { first: 0, step: 1, count: 0 };
}

function evenlySpaced(indices: Uint32Array | Float64Array, from: number, to: number): Piece {
  const first = indices[from] ?? 0;
  const step = from + 1 < to ? indices[from + 1]! - first : 1;
  let count = Math.min(2, to - from);
  while (from + count < to && indices[from + count] === first + count * step) count++;
  return { first, step, count };
}
