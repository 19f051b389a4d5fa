import type { SparseFilters } from "./frames/frame-spec.ts";

/** Creates filters from a function that gives the weight of a bin: from the first nonzero bin to the last. */
export function makeSparseFilters(
  count: number,
  bins: number,
  weightOf: (filter: number, bin: number) => number,
): SparseFilters {
  const starts = new Int32Array(count);
  const lengths = new Int32Array(count);
  const weights: number[] = [];
  for (let filter = 0; filter < count; filter++) {
    const row = Float64Array.from({ length: bins }, (_, bin) => weightOf(filter, bin));
    const start = row.findIndex((weight) => weight !== 0);
    // A filter so narrow that it lies between two bins stays empty: its output is 0.
    if (start === -1) continue;
    const end = row.findLastIndex((weight) => weight !== 0) + 1;
    starts[filter] = start;
    lengths[filter] = end - start;
    for (let bin = start; bin < end; bin++) weights.push(row[bin]!);
  }
  return { count, starts, lengths, weights: Float64Array.from(weights) };
}
