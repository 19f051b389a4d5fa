import { cmvn, type FeatureMatrix, fbank, melMfcc, melSpectrogram, mfcc, speechbrainFbank } from "../../speech.ts";
import type { BorrowedBuffer } from "./borrow-buffer.ts";
import type { ModelConvention } from "./toolkits/toolkit.ts";

/** Converts samples to the model's input, in the caller's memory if the front end can. */
export type FrontEnd = (samples: Float32Array, allocate?: BorrowedBuffer["allocate"]) => FeatureMatrix;

// Checked by the front ends themselves, which use the names of their toolkits.
type Options = object;

type Features = (samples: Float32Array, options: Options, allocate?: BorrowedBuffer["allocate"]) => FeatureMatrix;

const frontEnds: Readonly<Record<ModelConvention["frontend"], Features>> = {
  fbank: (samples, options, allocate) => fbank(samples, options, allocate),
  mfcc: (samples, options) => mfcc(samples, options),
  log_mel: (samples, options) => logMel(samples, options),
  mel_mfcc: (samples, options) => melMfcc(samples, options),
  speechbrain_fbank: (samples, options) => speechbrainFbank(samples, options),
};

/** The front end of a convention. A waveform is a matrix of one column. */
export function makeFrontEnd(convention: ModelConvention): FrontEnd {
  const { input, sampleScale, frontend, sampleRate } = convention;
  if (input === "waveform")
    return (samples) => ({ data: scale(samples, sampleScale), rows: samples.length, columns: 1 });
  const isKaldi = frontend === "fbank" || frontend === "mfcc";
  const key = isKaldi ? "sample_frequency" : "sample_rate";
  const options = Object.freeze({ [key]: sampleRate, ...convention.frontendOptions });
  const features = frontEnds[frontend];
  const isCentred = convention.cmvn !== "none";
  const normVars = convention.cmvn === "mean_var";
  return (samples, allocate) => {
    const matrix = features(scale(samples, sampleScale), options, allocate);
    return isCentred ? cmvn(matrix, { normVars }) : matrix;
  };
}

// A loop, because `map` of a typed array calls a function for each of the 16,000 samples of a second.
function scale(samples: Float32Array, factor: number): Float32Array {
  if (factor === 1) return samples;
  const scaled = new Float32Array(samples.length);
  for (let i = 0; i < samples.length; i++) scaled[i] = samples[i]! * factor;
  return scaled;
}

/** The natural logarithm of a mel spectrogram, floored at `log_floor`. */
function logMel(samples: Float32Array, given: Options): FeatureMatrix {
  const { log_floor = 1e-9, ...options } = given as { readonly log_floor?: unknown };
  const { data, rows, columns } = melSpectrogram(samples, options);
  return { data: data.map((power) => Math.log(Math.max(power, Number(log_floor)))), rows, columns };
}
