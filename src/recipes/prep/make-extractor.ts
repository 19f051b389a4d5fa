import { MillraceError } from "../../index.ts";
import { cmvn, type FeatureMatrix, fbank, mfcc } from "../../speech.ts";
import type { PrepSection } from "./prep-config.ts";
import { sampleRateOf } from "./sections/audio-section.ts";

/** Computes the features of one utterance. */
export type Extractor = (samples: Float32Array) => FeatureMatrix;

/** The feature extractor of a config, or undefined for none. Its options are checked here, before any audio is read. */
export function makeExtractor({ audio, features }: PrepSection): Extractor | undefined {
  const type = features?.type ?? "fbank";
  if (type === "none") return undefined;
  const sampleFrequency = sampleRateOf(audio);
  const options = { sampleFrequency, ...withoutRate(features?.options ?? {}, sampleFrequency) };
  const compute = type === "fbank" ? fbank : mfcc;
  compute(new Float32Array(0), options);
  const normalise = features?.cmvn ?? "none";
  return (samples) => {
    const matrix = compute(samples, options);
    return normalise === "none" ? matrix : cmvn(matrix, { normVars: normalise === "mean_var" });
  };
}

/** A config gives the rate once; an option with another rate is a mistake. */
function withoutRate(options: Readonly<Record<string, unknown>>, expected: number): Record<string, unknown> {
  const isRate = (key: string) => /^sample[_-]?frequency$/i.test(key);
  const wrong = Object.entries(options).find(([key, value]) => isRate(key) && value !== expected);
  if (wrong !== undefined) {
    throw new MillraceError(
      "BAD_CONFIG",
      `prep.features.options.${wrong[0]} is ${wrong[1]}, the audio has ${expected}.`,
      {
        hint: "Leave it out, and set prep.audio.sample_rate.",
      },
    );
  }
  return Object.fromEntries(Object.entries(options).filter(([key]) => !isRate(key)));
}
