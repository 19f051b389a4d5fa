import type { FeatureMatrix } from "../feature-matrix.ts";

/** Sums and sums of squares of each column, for means and variances. */
export function columnSums({ data, rows, columns }: FeatureMatrix): { sum: Float64Array; sumSquare: Float64Array } {
  const sum = new Float64Array(columns);
  const sumSquare = new Float64Array(columns);
  for (let row = 0, i = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, i++) {
      const value = data[i]!;
      sum[column] = sum[column]! + value;
      sumSquare[column] = sumSquare[column]! + value * value;
    }
  }
  return { sum, sumSquare };
}
