import type { ModelSection } from "../xvector-config.ts";

/** Windows of an utterance whose vectors are averaged. Lengths are frames, or samples for waveform input. */
export type Windows =
  | { readonly length: number; readonly step: number }
  /** The number of windows, evenly spread from the first to the last sample; short audio is repeated. */
  | { readonly length: number; readonly count: number };

/** The input and output of a model: everything in which toolkits differ. Plain data. */
export interface ModelConvention {
  readonly input: "waveform" | "features";
  readonly sampleRate: number;
  /** Waveforms are multiplied by it; 1 keeps full scale at 1. */
  readonly sampleScale: number;
  readonly frontend: NonNullable<ModelSection["frontend"]>;
  readonly frontendOptions: Readonly<Record<string, unknown>>;
  readonly cmvn: NonNullable<ModelSection["cmvn"]>;
  /** [batch, time, feature] or [batch, feature, time]; `auto` uses the fixed dimensions of the model. */
  readonly layout: NonNullable<ModelSection["layout"]>;
  /** The second input: the number of frames, or its ratio to the longest of the batch. */
  readonly lengths: NonNullable<ModelSection["lengths"]>;
  readonly inputName: string | undefined;
  readonly outputName: string | undefined;
  /** Shorter audio gives no vector: a model would give one, but without meaning. */
  readonly minSeconds: number;
  readonly minFrames: number;
  readonly windows: Windows | undefined;
  /** What remains to be done: statistics of a checkpoint are part of its graph. */
  readonly normalize: "none" | "l2";
  /** What zeros are added to where utterances of different lengths are stacked: SpeechBrain adds them to the samples. */
  readonly padding: "features" | "samples";
}

/** A toolkit: its convention, and its default model. */
export interface Toolkit {
  readonly convention: ModelConvention;
  /** Fetched from the hub if the config names none. */
  readonly defaultModel?: string;
}

/** The common defaults: 16 kHz, 80-bin Kaldi filterbanks as [batch, time, feature], at least a quarter of a second. */
export const usualConvention: ModelConvention = {
  input: "features",
  sampleRate: 16_000,
  sampleScale: 1,
  frontend: "fbank",
  frontendOptions: {},
  cmvn: "none",
  layout: "auto",
  lengths: "auto",
  inputName: undefined,
  outputName: undefined,
  minSeconds: 0.25,
  minFrames: 1,
  windows: undefined,
  normalize: "none",
  padding: "features",
};
