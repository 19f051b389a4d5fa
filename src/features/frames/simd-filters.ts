import * as w from "../../wasm/wasm-code.ts";
import type { FrameSpec, SparseFilters } from "./frame-spec.ts";
import { type KernelLayout, vectorBytes } from "./kernel-layout.ts";

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

/**
 * The natural logarithm of four positive floats in place. A float is 2^e * m with m from sqrt(1/2) to sqrt(2), and ln m
 * = 2 (s + s^3/3 + s^5/5 + …) with s = (m - 1) / (m + 1) at most 0.172: five terms are exact to a float's last bit.
 * Infinity and NaN are unchanged.
 */
function emitLog(locals: w.Locals, value: w.Local): w.Code {
  const [exponent, mantissa, s, square] = [locals.v128(), locals.v128(), locals.v128(), locals.v128()];
  const rootHalf = new Int32Array(Float32Array.of(Math.SQRT1_2).buffer)[0]!;
  const g = w.get;
  const series = [1 / 9, 1 / 7, 1 / 5, 1 / 3].map((term) => w.splat(2 * term));
  const sum = series.reduce((inner, term) => w.add(term, w.mul(g(square), inner)));
  // ln 2 in two parts: the first is exact when multiplied by any exponent.
  const [ln2High, ln2Low] = [0.693_359_375, Math.LN2 - 0.693_359_375];
  const result = w.add(
    w.add(w.mul(g(s), w.mul(g(square), sum)), w.mul(g(exponent), w.splat(ln2Low))),
    w.add(w.mul(g(s), w.splat(2)), w.mul(g(exponent), w.splat(ln2High))),
  );
  return [
    ...w.set(exponent, w.subInts(g(value), w.splatInt(rootHalf))),
    ...w.set(exponent, w.shiftRight(g(exponent), 23)),
    // The same float without its exponent.
    ...w.set(
      mantissa,
      w.addInts(w.and(w.subInts(g(value), w.splatInt(rootHalf)), w.splatInt(0x7fffff)), w.splatInt(rootHalf)),
    ),
    ...w.set(exponent, w.toFloats(g(exponent))),
    ...w.set(s, w.div(w.sub(g(mantissa), w.splat(1)), w.add(g(mantissa), w.splat(1)))),
    ...w.set(square, w.mul(g(s), g(s))),
    ...w.set(value, w.choose(w.lessThan(g(value), w.splat(Number.POSITIVE_INFINITY)), result, g(value))),
  ];
}
