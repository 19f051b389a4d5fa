import type { FeatureMatrix } from "../feature-matrix.ts";
import type { SparseFilters } from "../frames/frame-spec.ts";
import { makeFrameEngine } from "../frames/make-frame-engine.ts";
import { padSamples } from "../pad-samples.ts";
import type { CheckedMel, SpectrumWindow } from "./mel-options.ts";

type FrameOptions = Pick<CheckedMel, "nFft" | "winLength" | "hopLength" | "window" | "center" | "padMode" | "power">;

/**
 * Creates a function that cuts samples into frames as librosa and torch.stft do and applies filters to the spectrum of
 * each. No samples give no frames, centred or not.
 */
export function makeSpectralFrames(
  options: FrameOptions,
  filters: SparseFilters,
): (samples: Float32Array) => FeatureMatrix {
  const { nFft, winLength, hopLength } = options;
  const engine = makeFrameEngine({
    frameLength: winLength,
    frameShift: hopLength,
    fftSize: nFft,
    window: makeSpectrumWindow(options.window, winLength),
    isKaldi: false,
    removeMean: false,
    preemphasis: 0,
    energy: "none",
    spectrum: options.power === 2 ? "power" : "magnitude",
    filters,
    floor: undefined,
    log: false,
  });
  // The window is in the middle of the frame. Its position only changes the phases, so only its samples are read.
  const inset = (nFft - winLength) >> 1;
  return (samples) => {
    const padding = options.center ? nFft >> 1 : 0;
    const padded = samples.length + 2 * padding;
    const frames = samples.length === 0 || padded < nFft ? 0 : 1 + Math.floor((padded - nFft) / hopLength);
    const data = new Float32Array(frames * filters.count);
    const source =
      padding === 0 || frames === 0
        ? samples
        : padSamples(samples, { first: -padding, length: padded, padding: options.padMode });
    const job = { output: data, firstRow: 0, rowLength: filters.count, firstColumn: 0, energies: undefined };
    engine.run({ ...job, samples: source, firstSample: inset, frames });
    return { data, rows: frames, columns: filters.count };
  };
}

const curves: Record<SpectrumWindow, (phase: number) => number> = {
  hann: (phase) => 0.5 - 0.5 * Math.cos(phase),
  hamming: (phase) => 0.54 - 0.46 * Math.cos(phase),
  blackman: (phase) => 0.42 - 0.5 * Math.cos(phase) + 0.08 * Math.cos(2 * phase),
  rectangular: () => 1,
};

/** The periodic windows of librosa and torch: the next sample would equal the first. */
function makeSpectrumWindow(kind: SpectrumWindow, length: number): Float64Array {
  return Float64Array.from({ length }, (_, i) => curves[kind]((2 * Math.PI * i) / length));
}
