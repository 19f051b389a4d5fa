import type { SparseFilters } from "../frames/frame-spec.ts";
import { makeSparseFilters } from "../sparse-filters.ts";
import type { CheckedMel } from "./mel-options.ts";

interface Scale {
  readonly toMel: (hz: number) => number;
  readonly toHertz: (mel: number) => number;
}

// Slaney's Auditory Toolbox: 3 mel per 200 Hz up to 1 kHz, above that 27 per factor of 6.4.
const [slaneyStep, slaneyCorner] = [200 / 3, 1000];
const cornerMel = slaneyCorner / slaneyStep;
const logStep = Math.log(6.4) / 27;

/** The two scales that are called mel: O'Shaughnessy's, which HTK uses, and Slaney's. */
export const melScales: Readonly<Record<CheckedMel["melScale"], Scale>> = {
  htk: {
    toMel: (hz) => 2595 * Math.log10(1 + hz / 700),
    toHertz: (mel) => 700 * (10 ** (mel / 2595) - 1),
  },
  slaney: {
    toMel: (hz) => (hz < slaneyCorner ? hz / slaneyStep : cornerMel + Math.log(hz / slaneyCorner) / logStep),
    toHertz: (mel) => (mel < cornerMel ? mel * slaneyStep : slaneyCorner * Math.exp(logStep * (mel - cornerMel))),
  },
};

/** Points at equal distances on a mel scale, in Hz. */
export function melPoints(scale: Scale, [low, high]: readonly [number, number], count: number): Float64Array {
  const [first, last] = [scale.toMel(low), scale.toMel(high)];
  return Float64Array.from({ length: count }, (_, i) => scale.toHertz(first + ((last - first) * i) / (count - 1)));
}

/**
 * The filters of librosa and torchaudio: triangles between points of the mel scale, with sides that are linear in Hz.
 */
export function makeMelFilters(options: CheckedMel): SparseFilters {
  const { sampleRate, nFft, nMels, fMin, fMax } = options;
  const points = melPoints(melScales[options.melScale], [fMin, fMax], nMels + 2);
  return makeSparseFilters(nMels, (nFft >> 1) + 1, (filter, bin) => {
    const hz = (bin * sampleRate) / nFft;
    const [left, centre, right] = [points[filter]!, points[filter + 1]!, points[filter + 2]!];
    const height = Math.max(0, Math.min((hz - left) / (centre - left), (right - hz) / (right - centre)));
    return options.norm === "slaney" ? (height * 2) / (right - left) : height;
  });
}
