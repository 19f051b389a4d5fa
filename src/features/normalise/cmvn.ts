import { checkMatrix } from "../check-matrix.ts";
import { checkFeatureOptions, flag } from "../check-options.ts";
import type { FeatureMatrix } from "../feature-matrix.ts";
import { columnSums } from "./column-sums.ts";
import { type CmvnOptions, cmvnRules, normaliseBy } from "./normalise-by.ts";

/** Options of {@link cmvn}. */
export interface SentenceCmvnOptions extends CmvnOptions {
  /** Divides by one frame less for the variance, as torch.std does. Default: false, as in Kaldi and ESPnet. */
  readonly unbiased?: boolean | undefined;
}

/**
 * Subtracts the mean of an utterance from each column (and, with `normVars`, divides by the standard deviation):
 * Kaldi's `apply-cmvn` with statistics of the utterance itself, ESPnet's `utterance_mvn`, SpeechBrain's `sentence`.
 */
export function cmvn(matrix: FeatureMatrix, options: SentenceCmvnOptions = {}): FeatureMatrix {
  checkMatrix("cmvn", matrix);
  const { unbiased, ...rest } = checkFeatureOptions("cmvn", options, { ...cmvnRules, unbiased: flag(false) });
  const { rows } = matrix;
  const { sum, sumSquare } = columnSums(matrix);
  const means = sum.map((value) => value / rows);
  // In two passes: the difference of two large sums would lose the precision of a small variance.
  const variances = rest.normVars ? spread(matrix, means, Math.max(1, unbiased ? rows - 1 : rows)) : sumSquare;
  return normaliseBy(matrix, { means, variances }, rest);
}

function spread({ data, rows, columns }: FeatureMatrix, means: Float64Array, divisor: number): Float64Array {
  const variances = new Float64Array(columns);
  for (let row = 0, i = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, i++) {
      variances[column] = variances[column]! + (data[i]! - means[column]!) ** 2 / divisor;
    }
  }
  return variances;
}
