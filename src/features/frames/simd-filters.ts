import * as w from "../../wasm/wasm-code.ts";
import type { FrameSpec, SparseFilters } from "./frame-spec.ts";
import { type KernelLayout, vectorBytes } from "./kernel-layout.ts";
import { emitLog } from "./simd-log.ts";

/** Filters as the kernel reads them: the first bin and the number of weight pairs of each, and the weights. */
export function packFilters(filters: SparseFilters): { table: Int32Array; weights: Float32Array } {
  const table = new Int32Array(2 * filters.count);
  const weights: number[] = [];
  let from = 0;
  for (let i = 0; i < filters.count; i++) {
    const length = filters.lengths[i]!;
    table[2 * i] = filters.starts[i]! * vectorBytes;
    table[2 * i + 1] = Math.ceil(length / 2);
    weights.push(...filters.weights.subarray(from, from + length));
    if (length % 2 === 1) weights.push(0);
    from += length;
  }
  return { table, weights: Float32Array.from(weights) };
}

/** One sum of products per filter, with floor and logarithm; then moves the lanes to the rows of the four frames. */
export function emitFilters(spec: FrameSpec, locals: w.Locals, layout: KernelLayout, output: w.Local): w.Code {
  const [table, weight, bin, to, filters, pairs] = [0, 1, 2, 3, 4, 5].map(() => locals.i32()) as [
    ...[w.Local, w.Local, w.Local, w.Local, w.Local, w.Local],
  ];
  const [even, odd] = [locals.v128(), locals.v128()];
  const pair = [
    ...w.set(even, w.add(w.get(even), w.mul(w.loadSplat(weight, 0), w.load(bin, 0)))),
    ...w.set(odd, w.add(w.get(odd), w.mul(w.loadSplat(weight, 4), w.load(bin, vectorBytes)))),
    ...w.advance(weight, 8),
    ...w.advance(bin, 2 * vectorBytes),
  ];
  return [
    ...w.set(table, w.int(layout.filters)),
    ...w.set(weight, w.int(layout.weights)),
    ...w.set(to, w.get(output)),
    ...w.repeat(filters, w.int(spec.filters.count), [
      ...w.set(even, w.splat(0)),
      ...w.set(odd, w.splat(0)),
      ...w.set(bin, w.sumOf(w.loadInt(table, 0), w.int(layout.spectrum))),
      ...w.set(pairs, w.loadInt(table, 4)),
      ...w.ifNotZero(pairs, w.repeat(pairs, w.get(pairs), pair)),
      ...w.set(even, w.add(w.get(even), w.get(odd))),
      ...(spec.floor === undefined ? [] : w.set(even, w.atLeast(w.get(even), w.splat(spec.floor)))),
      ...(spec.log ? emitLog(locals, even) : []),
      ...[0, 1, 2, 3].flatMap((lane) => w.storeLane(to, lane * 4 * spec.filters.count, lane, w.get(even))),
      ...w.advance(table, 8),
      ...w.advance(to, 4),
    ]),
  ];
}
