import type { Allocate } from "../../values/check-allocate.ts";
import type { FeatureMatrix } from "../feature-matrix.ts";
import type { FrameSpec } from "../frames/frame-spec.ts";
import { makeFrameEngine } from "../frames/make-frame-engine.ts";
import { padSamples } from "../pad-samples.ts";
import { ditherFrames } from "./dither-frames.ts";
import { makeKaldiMelFilters } from "./kaldi-mel-filters.ts";
import { type CheckedKaldi, samplesOf } from "./kaldi-options.ts";

/** The smallest float32 step above 1: Kaldi's floor for an energy of zero. */
export const floatEpsilon: number = 2 ** -23;
/** Frames that are copied at a time for dithering: memory does not grow with the utterance. */
const ditheredAtOnce = 1024;

/** The differences between fbank and MFCC. */
interface Wanted {
  readonly energy: FrameSpec["energy"];
  readonly spectrum: FrameSpec["spectrum"];
  readonly log: boolean;
  /** Number of columns, and the first column of the mel bins. */
  readonly columns: number;
  readonly firstColumn: number;
}

export interface KaldiFrames {
  readonly matrix: FeatureMatrix;
  /** The logarithm of each frame's energy, if requested. */
  readonly logEnergies: Float64Array | undefined;
}

/**
 * Creates a function that cuts samples into frames as Kaldi does and computes the mel bins of each, in the caller's
 * memory or new memory.
 */
export function makeKaldiFrames(
  options: CheckedKaldi,
  wanted: Wanted,
): (samples: Float32Array, allocate?: Allocate) => KaldiFrames {
  const frameLength = samplesOf(options, options.frameLength);
  const frameShift = samplesOf(options, options.frameShift);
  const scale = options.sampleRange === "unit" ? 32_768 : 1;
  const isDithered = options.dither > 0;
  const fftSize = options.roundToPowerOfTwo ? 2 ** Math.ceil(Math.log2(frameLength)) : frameLength;
  const engine = makeFrameEngine({
    frameLength,
    frameShift: isDithered ? frameLength : frameShift,
    fftSize,
    window: makeKaldiWindow(options, frameLength).map((value) => value * scale),
    isKaldi: options.rounding === "kaldi",
    removeMean: options.removeDcOffset,
    preemphasis: options.preemphasisCoefficient,
    energy: wanted.energy,
    spectrum: wanted.spectrum,
    filters: makeKaldiMelFilters(options, fftSize),
    floor: options.htkMode ? 1 : wanted.log ? floatEpsilon : undefined,
    log: wanted.log,
  });
  const energyScale = wanted.energy === "raw" ? scale * scale : 1;
  return (samples, allocate = (length) => new Float32Array(length)) => {
    const { source, firstSample, frames } = locateFrames(samples, { frameLength, frameShift, options });
    const output = allocate(frames * wanted.columns).subarray(0, frames * wanted.columns);
    const energies = wanted.energy === "none" ? undefined : new Float64Array(frames);
    const job = { output, energies, rowLength: wanted.columns, firstColumn: wanted.firstColumn };
    if (isDithered) {
      const noise = { level: options.dither / scale, seed: options.ditherSeed };
      for (let done = 0; done < frames; done += ditheredAtOnce) {
        const count = Math.min(ditheredAtOnce, frames - done);
        const at = { firstSample: firstSample + done * frameShift, frames: count, frameLength, frameShift };
        const dithered = ditherFrames(source, at, { ...noise, seed: noise.seed + done });
        engine.run({ ...job, samples: dithered, firstSample: 0, frames: count, firstRow: done });
      }
    } else engine.run({ ...job, samples: source, firstSample, frames, firstRow: 0 });
    energies?.forEach((energy, i) => {
      energies[i] = toLogEnergy(energy * energyScale, options.energyFloor);
    });
    return { matrix: { data: output, rows: frames, columns: wanted.columns }, logEnergies: energies };
  };
}

function toLogEnergy(energy: number, floor: number): number {
  return Math.log(Math.max(energy, floatEpsilon, floor));
}

/** Finds the frames. Samples shorter than one frame have none; without `snipEdges` the ends are mirrored. */
export function locateFrames(
  samples: Float32Array,
  {
    frameLength,
    frameShift,
    options,
  }: { frameLength: number; frameShift: number; options: Pick<CheckedKaldi, "snipEdges"> },
): { readonly source: Float32Array; readonly firstSample: number; readonly frames: number } {
  if (options.snipEdges) {
    const frames = samples.length < frameLength ? 0 : 1 + Math.floor((samples.length - frameLength) / frameShift);
    return { source: samples, firstSample: 0, frames };
  }
  const frames = Math.floor((samples.length + (frameShift >> 1)) / frameShift);
  const first = (frameShift >> 1) - (frameLength >> 1);
  const length = Math.max(0, frames - 1) * frameShift + frameLength;
  return { source: padSamples(samples, { first, length, padding: "symmetric" }), firstSample: 0, frames };
}

/** Kaldi's windows: symmetric, so the last sample is at the end of the curve. */
function makeKaldiWindow({ windowType, blackmanCoeff }: CheckedKaldi, length: number): Float64Array {
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
