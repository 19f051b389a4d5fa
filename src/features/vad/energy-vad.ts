import { MillraceError } from "../../errors/errors.ts";
import { checkMatrix } from "../check-matrix.ts";
import { checkFeatureOptions, number, whole } from "../check-options.ts";
import type { FeatureMatrix } from "../feature-matrix.ts";

/** Options of {@link energyVad}, with Kaldi's names and defaults. */
export interface EnergyVadOptions {
  /** Minimum log energy of speech. Default: 5. */
  readonly vadEnergyThreshold?: number | undefined;
  /** Fraction of the utterance's mean log energy that is added to the threshold. Default: 0.5. */
  readonly vadEnergyMeanScale?: number | undefined;
  /** Frames on each side that are included in the decision. Default: 0. */
  readonly vadFramesContext?: number | undefined;
  /** Fraction of these frames that must be above the threshold. Default: 0.6. */
  readonly vadProportionThreshold?: number | undefined;
}

const rules = {
  vadEnergyThreshold: number(5),
  vadEnergyMeanScale: number(0.5, { min: 0 }),
  vadFramesContext: whole(0, { min: 0, max: 1_000_000 }),
  vadProportionThreshold: number(0.6, { above: 0, max: 1 }),
};

/**
 * Marks speech frames (1) by their energy: Kaldi's `compute-vad`. The first column must be the logarithm of the energy,
 * as in {@link mfcc} (with `useEnergy`), {@link fbank} with `useEnergy`, or {@link frameLogEnergy}.
 */
export function energyVad(matrix: FeatureMatrix, options: EnergyVadOptions = {}): Uint8Array {
  checkMatrix("energyVad", matrix);
  const checked = checkFeatureOptions("energyVad", options, rules);
  const { data, rows, columns } = matrix;
  if (columns === 0)
    throw new MillraceError("BAD_OPTION", "energyVad: the features have no columns.", {
      hint: "The first one has to be the energy.",
    });
  let sum = 0;
  for (let row = 0; row < rows; row++) sum += data[row * columns]!;
  const threshold = checked.vadEnergyThreshold + (rows === 0 ? 0 : (checked.vadEnergyMeanScale * sum) / rows);
  // Prefix counts of frames above the threshold, so that every window is a difference.
  const above = new Uint32Array(rows + 1);
  for (let row = 0; row < rows; row++) above[row + 1] = above[row]! + (data[row * columns]! > threshold ? 1 : 0);
  return Uint8Array.from({ length: rows }, (_, row) => {
    const start = Math.max(0, row - checked.vadFramesContext);
    const end = Math.min(rows, row + checked.vadFramesContext + 1);
    return above[end]! - above[start]! >= (end - start) * checked.vadProportionThreshold ? 1 : 0;
  });
}
