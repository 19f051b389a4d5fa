import { flag, number } from "../check-options.ts";
import type { FeatureMatrix } from "../feature-matrix.ts";

/** What is normalised. */
export interface CmvnOptions {
  /** Default: true. */
  readonly normMeans?: boolean | undefined;
  /** Default: false. */
  readonly normVars?: boolean | undefined;
  /** Minimum variance. Default: 1e-20. */
  readonly varianceFloor?: number | undefined;
}

export const cmvnRules: {
  readonly normMeans: ReturnType<typeof flag>;
  readonly normVars: ReturnType<typeof flag>;
  readonly varianceFloor: ReturnType<typeof number>;
} = { normMeans: flag(true), normVars: flag(false), varianceFloor: number(1e-20, { above: 0 }) };

/** A new matrix: subtracts the mean of each column and divides by the standard deviation. */
export function normaliseBy(
  { data, rows, columns }: FeatureMatrix,
  { means, variances }: { readonly means: Float64Array; readonly variances: Float64Array },
  options: { readonly normMeans: boolean; readonly normVars: boolean; readonly varianceFloor: number },
): FeatureMatrix {
  const scales = variances.map((variance) =>
    options.normVars ? 1 / Math.sqrt(Math.max(variance, options.varianceFloor)) : 1,
  );
  // If the mean is not subtracted, it stays the same: only the spread around it changes.
  const offsets = means.map((mean, i) => (options.normMeans ? -mean * scales[i]! : 0));
  const result = new Float32Array(data.length);
  for (let row = 0, i = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, i++) result[i] = data[i]! * scales[column]! + offsets[column]!;
  }
  return { data: result, rows, columns };
}
