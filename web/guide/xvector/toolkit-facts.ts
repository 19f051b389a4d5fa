import type { ToolkitName } from "../../../src/recipes/xvector/toolkits/toolkit-names.ts";

/** What a person wants to know of a toolkit before choosing it. */
export interface ToolkitFacts {
  readonly sentence: string;
  /** The length of a vector. */
  readonly dimension: string;
  /** Imports of `millrace/speech` besides `readAudio` that make the model's input, and the expression. */
  readonly imports: readonly string[];
  readonly input: string;
}

const waveform = { imports: [], input: "{ data: samples, rows: samples.length, columns: 1 }" };

export const toolkitFacts: Readonly<Record<ToolkitName, ToolkitFacts>> = {
  speechbrain: {
    sentence:
      "SpeechBrain's ECAPA-TDNN on its 80 mel bins without their mean. Audio of any rate is resampled to 16 kHz.",
    dimension: "192",
    imports: ["speechbrainFbank"],
    // Its checkpoint says that the mean is removed, so the converted model does it.
    input: "speechbrainFbank(samples, { nMels: 80 })",
  },
  espnet: {
    sentence: "A speaker model of ESPnet-SPK on the 16 kHz waveform: its front end is part of the model.",
    dimension: "192 with this model",
    ...waveform,
  },
  rawnet: {
    sentence:
      "RawNet3 on ten pieces of 3 s of the waveform, whose vectors are averaged. Put the model where the config says.",
    dimension: "256",
    ...waveform,
  },
  wespeaker: {
    sentence:
      "WeSpeaker's ResNet34 on Kaldi's 80 filter banks without their mean. Put its ONNX file where the config says.",
    dimension: "256 with this model",
    imports: ["cmvn", "fbank"],
    input: 'cmvn(fbank(samples, { numMelBins: 80, windowType: "hamming", dither: 0 }))',
  },
  onnx: {
    sentence: "Any other ONNX file: the section model says how its input is made. Put the file where the config says.",
    dimension: "the model's",
    imports: ["cmvn", "fbank"],
    input: "cmvn(fbank(samples, { numMelBins: 80 }))",
  },
  builtin: {
    sentence: "Mean and deviation of 23 cepstra over time. A baseline that needs no model file and nothing to install.",
    dimension: "46",
    imports: ["mfcc"],
    input:
      "mfcc(samples, { numCeps: 24, numMelBins: 40, lowFreq: 20, highFreq: 7600, cepstralLifter: 22, useEnergy: false })",
  },
};
