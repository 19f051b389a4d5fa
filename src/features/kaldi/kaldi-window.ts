import type { CheckedKaldi } from "./kaldi-options.ts";

/** Kaldi's windows: symmetric, so the last sample is at the end of the curve. */
export function makeKaldiWindow({ windowType, blackmanCoeff }: CheckedKaldi, length: number): Float64Array {
  const step = (2 * Math.PI) / (length - 1);
  const curves: Record<CheckedKaldi["windowType"], (i: number) => number> = {
    // Kaldi's own window: like hanning, but not quite zero at the ends.
    povey: (i) => (0.5 - 0.5 * Math.cos(step * i)) ** 0.85,
    hamming: (i) => 0.54 - 0.46 * Math.cos(step * i),
    hanning: (i) => 0.5 - 0.5 * Math.cos(step * i),
    sine: (i) => Math.sin(0.5 * step * i),
    rectangular: () => 1,
    blackman: (i) => blackmanCoeff - 0.5 * Math.cos(step * i) + (0.5 - blackmanCoeff) * Math.cos(2 * step * i),
  };
  return Float64Array.from({ length }, (_, i) => curves[windowType](i));
}
