import { MillraceError } from "../../errors/errors.ts";
import { checkFeatureOptions, flag, number, oneOf, toOptionName, whole } from "../check-options.ts";
import { checkSamples } from "../check-samples.ts";
import { makeDct, multiplyRows } from "../dct.ts";
import type { FeatureMatrix } from "../feature-matrix.ts";
import { remember } from "../remember.ts";
import { checkMelOptions, type MelOptions, melOptionNames } from "./mel-options.ts";
import { melFramesFor } from "./mel-spectrogram.ts";
import { type DecibelOptions, powerToDb } from "./power-to-db.ts";

/** Options of {@link melMfcc}: those of the mel spectrogram, of the decibels, and these. */
export interface MelMfccOptions extends MelOptions, Omit<DecibelOptions, "ref"> {
  /** Default: 20; torchaudio's is 40. */
  readonly nMfcc?: number | undefined;
  /** Default: `ortho`. */
  readonly dctNorm?: "ortho" | "none" | undefined;
  /** librosa's liftering; 0 for none. Default: 0. */
  readonly lifter?: number | undefined;
  /** torchaudio's `log_mels`: the natural logarithm of the mel values plus 1e-6 instead of decibels. Default: false. */
  readonly logMels?: boolean | undefined;
}

const rules = {
  nMfcc: whole(20, { min: 1, max: 4096 }),
  dctNorm: oneOf(["ortho", "none"], "ortho"),
  lifter: number(0, { min: 0 }),
  logMels: flag(false),
};

/**
 * Cepstra as `librosa.feature.mfcc` and torchaudio's `MFCC` compute them, but with one row per frame. Samples are from
 * -1 to 1.
 */
export function melMfcc(samples: Float32Array, options: MelMfccOptions = {}): FeatureMatrix {
  checkSamples("melMfcc", samples);
  const { mel: melOptions, decibel, mfcc } = separate(options);
  const mel = checkMelOptions("melMfcc", melOptions);
  const { nMfcc, dctNorm, lifter, logMels } = checkFeatureOptions("melMfcc", mfcc, rules);
  if (nMfcc > mel.nMels)
    throw new MillraceError("BAD_OPTION", `melMfcc: ${nMfcc} cepstra of ${mel.nMels} mel filters.`, {
      hint: "Raise nMels or lower nMfcc: there are at most as many cepstra as filters.",
    });
  const powers = melFramesFor(mel)(samples);
  const logs = logMels
    ? { ...powers, data: powers.data.map((value) => Math.log(value + 1e-6)) }
    : powerToDb(powers, decibel);
  return multiplyRows(logs, transformFor({ nMfcc, nMels: mel.nMels, dctNorm, lifter }), nMfcc);
}

interface TransformOptions {
  readonly nMfcc: number;
  readonly nMels: number;
  readonly dctNorm: "ortho" | "none";
  readonly lifter: number;
}

const transformFor = remember(({ nMfcc, nMels, dctNorm, lifter }: TransformOptions) => {
  const transform = makeDct(nMfcc, nMels, dctNorm);
  if (lifter === 0) return transform;
  return transform.map((value, i) => {
    const k = Math.floor(i / nMels);
    return value * (1 + (lifter / 2) * Math.sin((Math.PI * (k + 1)) / lifter));
  });
});

/** Splits the options by their owner. An unknown one goes to the last check, which lists all valid names. */
function separate(options: MelMfccOptions): { mel: MelOptions; decibel: DecibelOptions; mfcc: object } {
  const [mel, decibel, mfcc]: Record<string, unknown>[] = [{}, {}, {}];
  for (const [key, value] of Object.entries(options)) {
    const name = toOptionName(key);
    if (melOptionNames.includes(name)) mel![key] = value;
    else if (name === "amin" || name === "topDb") decibel![name] = value;
    else mfcc![key] = value;
  }
  return { mel: mel!, decibel: decibel!, mfcc: mfcc! };
}
