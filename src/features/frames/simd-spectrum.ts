import * as w from "../../wasm/wasm-code.ts";
import type { FrameSpec } from "./frame-spec.ts";
import { type KernelLayout, vectorBytes } from "./kernel-layout.ts";

/**
 * Computes the spectrum of real samples from the half-length transform of sample pairs: bins k and half - k come from
 * the same two values. Both formulas have a factor of one half, which is included in the window.
 */
export function emitSpectrum(spec: FrameSpec, locals: w.Locals, layout: KernelLayout, from: number): w.Code {
  const half = spec.fftSize / 2;
  const [low, high, order, lowBin, highBin, twiddle, count] = [0, 1, 2, 3, 4, 5, 6].map(() => locals.i32()) as [
    ...[w.Local, w.Local, w.Local, w.Local, w.Local, w.Local, w.Local],
  ];
  const names = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(() => locals.v128());
  const [a, b, c, d, evenRe, evenIm, oddRe, oddIm, re, im, t] = names as [
    ...[w.Local, w.Local, w.Local, w.Local, w.Local, w.Local],
    ...[w.Local, w.Local, w.Local, w.Local, w.Local],
  ];
  const finish = (value: w.Code) => (spec.spectrum === "magnitude" ? w.sqrt(value) : value);
  const square = (local: w.Local) => w.mul(w.get(local), w.get(local));
  const g = w.get;
  const bins = [
    ...w.set(low, w.loadInt(order, 0)),
    ...w.set(high, w.loadInt(order, 4)),
    ...w.set(a, w.load(low, 0)),
    ...w.set(b, w.load(low, vectorBytes)),
    ...w.set(c, w.load(high, 0)),
    ...w.set(d, w.load(high, vectorBytes)),
    ...w.set(evenRe, w.add(g(a), g(c))),
    ...w.set(evenIm, w.sub(g(b), g(d))),
    ...w.set(oddRe, w.add(g(b), g(d))),
    ...w.set(oddIm, w.sub(g(c), g(a))),
    ...w.set(re, w.loadSplat(twiddle, 0)),
    ...w.set(im, w.loadSplat(twiddle, 4)),
    ...w.set(t, w.sub(w.mul(g(oddRe), g(re)), w.mul(g(oddIm), g(im)))),
    ...w.set(oddIm, w.add(w.mul(g(oddRe), g(im)), w.mul(g(oddIm), g(re)))),
    // In the middle both are the same bin, and the lower formula is the one to use.
    ...w.set(re, w.sub(g(evenRe), g(t))),
    ...w.set(im, w.sub(g(evenIm), g(oddIm))),
    ...w.store(highBin, 0, finish(w.add(square(re), square(im)))),
    ...w.set(re, w.add(g(evenRe), g(t))),
    ...w.set(im, w.add(g(evenIm), g(oddIm))),
    ...w.store(lowBin, 0, finish(w.add(square(re), square(im)))),
    ...w.advance(order, 8),
    ...w.advance(lowBin, vectorBytes),
    ...w.advance(highBin, -vectorBytes),
    ...w.advance(twiddle, 8),
  ];
  return [
    ...w.set(low, w.int(from)),
    ...w.set(lowBin, w.int(layout.spectrum)),
    ...w.set(highBin, w.int(layout.spectrum + half * vectorBytes)),
    ...w.set(a, w.load(low, 0)),
    ...w.set(b, w.load(low, vectorBytes)),
    ...w.set(re, w.mul(w.splat(2), w.add(g(a), g(b)))),
    ...w.set(im, w.mul(w.splat(2), w.sub(g(a), g(b)))),
    ...w.store(lowBin, 0, finish(square(re))),
    ...w.store(highBin, 0, finish(square(im))),
    ...(half < 2
      ? []
      : [
          ...w.advance(lowBin, vectorBytes),
          ...w.advance(highBin, -vectorBytes),
          ...w.set(order, w.int(layout.order)),
          ...w.set(twiddle, w.int(layout.splitTwiddles)),
          ...w.repeat(count, w.int(half >> 1), bins),
        ]),
  ];
}

/** The factors of {@link emitSpectrum}: for each pair of bins one root of unity, as (re, im). */
export function splitTwiddles(half: number, isKaldi: boolean): Float32Array {
  const values = new Float32Array(2 * (half >> 1));
  for (let k = 1; k <= half >> 1; k++) {
    values[2 * k - 2] = Math.cos((Math.PI * k) / half);
    values[2 * k - 1] = -Math.sin((Math.PI * k) / half);
  }
  if (isKaldi) multiplyUp(values, half);
  return values;
}

/**
 * Kaldi computes each root by multiplying the previous one with the first. The error grows to 1e-5, and its features
 * contain it.
 */
function multiplyUp(values: Float32Array, half: number): void {
  const { fround } = Math;
  const angle = fround(-Math.PI / half);
  const [rootRe, rootIm] = [fround(Math.cos(angle)), fround(Math.sin(angle))];
  let [re, im] = [1, 0];
  for (let i = 0; i < values.length; i += 2) {
    const next = fround(fround(re * rootRe) - fround(im * rootIm));
    im = fround(fround(re * rootIm) + fround(im * rootRe));
    re = next;
    values[i] = re;
    values[i + 1] = im;
  }
}

/** The positions of each pair of bins: an in-place transform leaves them in another order. */
export function pairOrder(half: number, from: number, placeOf: (k: number) => number): Int32Array {
  const places = new Int32Array(2 * (half >> 1));
  for (let k = 1; k <= half >> 1; k++) {
    places[2 * k - 2] = from + placeOf(k) * 2 * vectorBytes;
    places[2 * k - 1] = from + placeOf(half - k) * 2 * vectorBytes;
  }
  return places;
}
