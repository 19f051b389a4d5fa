import { checkMatrix } from "../check-matrix.ts";
import { checkFeatureOptions, number, orNull } from "../check-options.ts";
import type { FeatureMatrix } from "../feature-matrix.ts";

/** The reference for 0 dB, and the dynamic range. */
export interface DecibelOptions {
  /** The power that is 0 dB. Default: 1. */
  readonly ref?: number | undefined;
  /** Minimum power. Default: 1e-10. */
  readonly amin?: number | undefined;
  /** Maximum distance to the loudest value of the utterance; null for no limit. Default: 80. */
  readonly topDb?: number | null | undefined;
}

const rules = {
  ref: number(1, { above: 0 }),
  amin: number(1e-10, { above: 0 }),
  topDb: orNull(number(80, { min: 0 }), 80),
};

/** Powers as decibels: `librosa.power_to_db`, torchaudio's `AmplitudeToDB` (whose `topDb` is null) and SpeechBrain's. */
export function powerToDb(matrix: FeatureMatrix, options: DecibelOptions = {}): FeatureMatrix {
  checkMatrix("powerToDb", matrix);
  const checked = checkFeatureOptions("powerToDb", options, rules);
  const { data, rows, columns } = matrix;
  const reference = 10 * Math.log10(Math.max(checked.amin, checked.ref));
  const decibels = new Float32Array(data.length);
  let loudest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < data.length; i++) {
    const value = 10 * Math.log10(Math.max(checked.amin, data[i]!)) - reference;
    decibels[i] = value;
    if (value > loudest) loudest = value;
  }
  if (checked.topDb !== null) {
    const floor = loudest - checked.topDb;
    for (let i = 0; i < decibels.length; i++) if (decibels[i]! < floor) decibels[i] = floor;
  }
  return { data: decibels, rows, columns };
}
