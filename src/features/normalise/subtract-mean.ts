import type { FeatureMatrix } from "../feature-matrix.ts";
import { columnSums } from "./column-sums.ts";

/** Subtracts the mean of each column in place: for a matrix that only the caller holds. */
export function subtractMean(matrix: FeatureMatrix): FeatureMatrix {
  const { data, rows, columns } = matrix;
  const means = columnSums(matrix).sum.map((sum) => sum / rows);
  for (let row = 0, i = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, i++) data[i] = data[i]! - means[column]!;
  }
  return matrix;
}
