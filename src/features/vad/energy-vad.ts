import { MillraceError } from "../../shared/errors.ts";
import { checkMatrix } from "../check-matrix.ts";
import { checkFeatureOptions, number, whole } from "../check-options.ts";
import type { FeatureMatrix } from "../feature-matrix.ts";

/** Options of {@link energyVad}, with Kaldi's names and defaults. */
export interface EnergyVadOptions {
  /** What counts as speech at least, as the logarithm of the energy. Default: 5. */
  readonly vadEnergyThreshold?: number | undefined;
  /** So much of the utterance's mean is added to the threshold. Default: 0.5. */
  readonly vadEnergyMeanScale?: number | undefined;
  /** Frames to each side that have a say. Default: 0. */
  readonly vadFramesContext?: number | undefined;
  /** The share of them that has to be above the threshold. Default: 0.6. */
  readonly vadProportionThreshold?: number | undefined;
}

const rules = {
  vadEnergyThreshold: number(5),
  vadEnergyMeanScale: number(0.5, { least: 0 }),
  vadFramesContext: whole(0, { least: 0, most: 1_000_000 }),
  vadProportionThreshold: number(0.6, { above: 0, most: 1 }),
};

/**
 * Which frames are speech (1) by their energy: Kaldi's `compute-vad`. The first column has to be the logarithm of the
 * energy, as in {@link mfcc} (with `useEnergy`), {@link fbank} with `useEnergy`, or {@link frameLogEnergy}.
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
  // How many frames before each are above it, so that every window is a difference.
  const above = new Uint32Array(rows + 1);
  for (let row = 0; row < rows; row++) above[row + 1] = above[row]! + (data[row * columns]! > threshold ? 1 : 0);
  return Uint8Array.from({ length: rows }, (_, row) => {
    const start = Math.max(0, row - checked.vadFramesContext);
    const end = Math.min(rows, row + checked.vadFramesContext + 1);
    return above[end]! - above[start]! >= (end - start) * checked.vadProportionThreshold ? 1 : 0;
  });
}
