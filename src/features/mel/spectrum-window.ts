import type { SpectrumWindow } from "./mel-options.ts";

const curves: Record<SpectrumWindow, (phase: number) => number> = {
  hann: (phase) => 0.5 - 0.5 * Math.cos(phase),
  hamming: (phase) => 0.54 - 0.46 * Math.cos(phase),
  blackman: (phase) => 0.42 - 0.5 * Math.cos(phase) + 0.08 * Math.cos(2 * phase),
  rectangular: () => 1,
};

/** The periodic windows of librosa and torch: the next sample would equal the first. */
export function makeSpectrumWindow(kind: SpectrumWindow, length: number): Float64Array {
  return Float64Array.from({ length }, (_, i) => curves[kind]((2 * Math.PI * i) / length));
}
