import { MillraceError } from "../../errors/errors.ts";
import { checkMatrix } from "../check-matrix.ts";
import { checkFeatureOptions, flag } from "../check-options.ts";
import type { FeatureMatrix } from "../feature-matrix.ts";
import { type CmvnOptions, cmvnRules, normaliseBy } from "./normalise-by.ts";

/** Statistics of a corpus: sums and sums of squares of each column over `count` frames. */
export interface CmvnStats {
  readonly sum: ArrayLike<number>;
  readonly sumSquare: ArrayLike<number>;
  readonly count: number;
}

/**
 * Normalises with the statistics of a corpus: Kaldi's `apply-cmvn`, ESPnet's `global_mvn`. Normalises the variance too
 * by default.
 */
export function globalCmvn(matrix: FeatureMatrix, stats: CmvnStats, options: CmvnOptions = {}): FeatureMatrix {
  checkMatrix("globalCmvn", matrix);
  const checked = checkFeatureOptions("globalCmvn", options, { ...cmvnRules, normVars: flag(true) });
  checkStats(matrix, stats);
  const means = Float64Array.from(stats.sum, (sum) => sum / stats.count);
  const variances = Float64Array.from(stats.sumSquare, (sum, i) => sum / stats.count - means[i]! ** 2);
  return normaliseBy(matrix, { means, variances }, checked);
}

function checkStats({ columns }: FeatureMatrix, { sum, sumSquare, count }: CmvnStats): void {
  if (!(count > 0))
    throw new MillraceError("BAD_OPTION", `globalCmvn: the statistics are of ${count} frames.`, {
      hint: "Give { sum, sumSquare, count } of at least one frame.",
    });
  if (sum.length !== columns || sumSquare.length !== columns)
    throw new MillraceError(
      "BAD_OPTION",
      `globalCmvn: statistics of ${sum.length} and ${sumSquare.length} columns for features of ${columns}.`,
      { hint: "They have to come from features made with the same options." },
    );
}
