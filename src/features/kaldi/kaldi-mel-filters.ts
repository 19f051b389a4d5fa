import type { SparseFilters } from "../frames/frame-spec.ts";
import { makeSparseFilters } from "../sparse-filters.ts";
import { type CheckedKaldi, highFrequency, vtlnRange } from "./kaldi-options.ts";

const { fround } = Math;

// In float32 at every step, as in Kaldi: if a loud frequency is at the edge of a filter, the rounding of the weight,
// which is nearly zero, determines most of the output. Otherwise a sweep shows differences of 0.03.
function toMel(hz: number): number {
  return fround(1127 * fround(Math.log(fround(1 + fround(hz / 700)))));
}

function fromMel(mel: number): number {
  return fround(700 * fround(fround(Math.exp(fround(mel / 1127))) - 1));
}

/**
 * Kaldi's filters: triangles of equal width on the mel scale, with sides that are linear in mel. The last bin is never
 * used.
 */
export function makeKaldiMelFilters(options: CheckedKaldi, fftSize: number): SparseFilters {
  const { lowFreq, numMelBins, sampleFrequency, htkMode } = options;
  const melLow = toMel(lowFreq);
  const width = fround(fround(toMel(highFrequency(options)) - melLow) / (numMelBins + 1));
  const warp = makeWarp(options);
  const edges = Float64Array.from({ length: numMelBins + 2 }, (_, i) => warp(fround(melLow + fround(i * width))));
  const hertzPerBin = fround(sampleFrequency / fftSize);
  const filters = makeSparseFilters(numMelBins, fftSize >> 1, (filter, bin) => {
    const mel = toMel(fround(bin * hertzPerBin));
    const [left, centre, right] = [edges[filter]!, edges[filter + 1]!, edges[filter + 2]!];
    if (mel <= left || mel >= right) return 0;
    return mel <= centre ? fround(mel - left) / fround(centre - left) : fround(right - mel) / fround(right - centre);
  });
  if (htkMode && lowFreq !== 0 && filters.lengths[0]! > 0) filters.weights[0] = 0;
  return filters;
}

/**
 * The warp of the mel scale for one vocal tract length: frequencies in the middle are divided by the factor, and
 * straight lines connect that part to both ends, which are fixed.
 */
function makeWarp(options: CheckedKaldi): (mel: number) => number {
  const { vtlnWarp, lowFreq } = options;
  if (vtlnWarp === 1) return (mel) => mel;
  const highFreq = highFrequency(options);
  const [vtlnLow, vtlnHigh] = vtlnRange(options);
  const low = vtlnLow * Math.max(1, vtlnWarp);
  const high = vtlnHigh * Math.min(1, vtlnWarp);
  const scale = 1 / vtlnWarp;
  const slopeBelow = (scale * low - lowFreq) / (low - lowFreq);
  const slopeAbove = (highFreq - scale * high) / (highFreq - high);
  return (mel) => {
    const hz = fromMel(mel);
    if (hz < lowFreq || hz > highFreq) return mel;
    if (hz < low) return toMel(lowFreq + slopeBelow * (hz - lowFreq));
    if (hz < high) return toMel(scale * hz);
    return toMel(highFreq + slopeAbove * (hz - highFreq));
  };
}
