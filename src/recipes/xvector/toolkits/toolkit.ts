import type { ModelSection } from "../xvector-config.ts";

/** Pieces of an utterance whose vectors are averaged. Lengths are frames, or samples where the waveform goes in. */
export type Windows =
  | { readonly length: number; readonly step: number }
  /** So many of them from the first to the last sample, as far apart as they come; short audio is repeated. */
  | { readonly length: number; readonly count: number };

/** How a model wants its input and what its output is: all that toolkits differ in. Plain data. */
export interface ModelConvention {
  readonly input: "waveform" | "features";
  readonly sampleRate: number;
  /** Waveforms are multiplied by it; 1 leaves full scale at 1. */
  readonly sampleScale: number;
  readonly frontend: NonNullable<ModelSection["frontend"]>;
  readonly frontendOptions: Readonly<Record<string, unknown>>;
  readonly cmvn: NonNullable<ModelSection["cmvn"]>;
  /** [batch, time, feature] or [batch, feature, time]; `auto` looks at the fixed dimensions of the model. */
  readonly layout: NonNullable<ModelSection["layout"]>;
  /** What a second input gets: the number of frames, or its share of the longest of the batch. */
  readonly lengths: NonNullable<ModelSection["lengths"]>;
  readonly inputName: string | undefined;
  readonly outputName: string | undefined;
  /** Less audio than that gives no vector: models answer to it too, but what they say means nothing. */
  readonly minSeconds: number;
  readonly minFrames: number;
  readonly windows: Windows | undefined;
  readonly normalize: "none" | "l2";
}

/** A toolkit: its convention, and the model it is known for. */
export interface Toolkit {
  readonly convention: ModelConvention;
  /** Taken from the hub where the config names none. */
  readonly defaultModel?: string;
}

/** What most have in common: 16 kHz, 80-bin Kaldi filterbanks as [batch, time, feature], at least a quarter of a second. */
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
};
