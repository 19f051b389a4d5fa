import { makeRealFft } from "../fft/real-fft.ts";
import type { FrameEngine, FrameJob, FrameSpec } from "./frame-spec.ts";

/** Frames in float64, one at a time: for sizes without a kernel, and as the reference for tests of the kernels. */
export function makeDoubleFrames(spec: FrameSpec): FrameEngine {
  const fft = makeRealFft(spec.fftSize);
  const frame = new Float64Array(spec.frameLength);
  const spectrum = new Float64Array(2 * fft.bins);
  return {
    run(job) {
      for (let i = 0; i < job.frames; i++) {
        const energy = fillFrame(spec, job, job.firstSample + i * spec.frameShift, frame);
        if (job.energies !== undefined) job.energies[job.firstRow + i] = energy;
        fft.transform(frame, spectrum);
        toMagnitudes(spectrum, fft.bins, spec.spectrum);
        filter(spec, spectrum, job.output, (job.firstRow + i) * job.rowLength + job.firstColumn);
      }
    },
  };
}

/** Writes the frame without its mean, with pre-emphasis and window. Returns its energy, as the spec defines it. */
function fillFrame(spec: FrameSpec, { samples }: FrameJob, from: number, frame: Float64Array): number {
  const { frameLength, window, preemphasis } = spec;
  let mean = 0;
  if (spec.removeMean) {
    for (let n = 0; n < frameLength; n++) mean += samples[from + n]!;
    mean /= frameLength;
  }
  let [raw, windowed] = [0, 0];
  let before = samples[from]! - mean;
  for (let n = 0; n < frameLength; n++) {
    const x = samples[from + n]! - mean;
    const y = (x - preemphasis * before) * window[n]!;
    before = x;
    raw += x * x;
    windowed += y * y;
    frame[n] = y;
  }
  return spec.energy === "raw" ? raw : windowed;
}

/** Replaces (re, im) pairs by powers or magnitudes, at the start of the same array. */
function toMagnitudes(spectrum: Float64Array, bins: number, kind: FrameSpec["spectrum"]): void {
  for (let k = 0; k < bins; k++) {
    const power = spectrum[2 * k]! ** 2 + spectrum[2 * k + 1]! ** 2;
    spectrum[k] = kind === "power" ? power : Math.sqrt(power);
  }
}

function filter(spec: FrameSpec, spectrum: Float64Array, output: Float32Array, at: number): void {
  const { count, starts, lengths, weights } = spec.filters;
  let weight = 0;
  for (let i = 0; i < count; i++) {
    let sum = 0;
    const from = starts[i]!;
    const end = from + lengths[i]!;
    for (let k = from; k < end; k++) sum += spectrum[k]! * weights[weight++]!;
    if (spec.floor !== undefined && sum < spec.floor) sum = spec.floor;
    output[at + i] = spec.log ? Math.log(sum) : sum;
  }
}
