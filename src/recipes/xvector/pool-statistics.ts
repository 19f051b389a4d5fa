import type { FeatureMatrix } from "../../speech.ts";

/** Mean and standard deviation over time of every column except the first, scaled to length 1. */
export function poolStatistics({ data, rows, columns }: FeatureMatrix, minVariance: number): Float32Array {
  const count = columns - 1;
  const pooled = new Float64Array(2 * count);
  for (let column = 0; column < count; column++) {
    let sum = 0;
    for (let row = 0; row < rows; row++) sum += data[row * columns + column + 1]!;
    const mean = sum / rows;
    let squares = 0;
    for (let row = 0; row < rows; row++) squares += (data[row * columns + column + 1]! - mean) ** 2;
    pooled[column] = mean;
    pooled[count + column] = Math.sqrt(Math.max(squares / rows, minVariance));
  }
  const length = Math.hypot(...pooled);
  return Float32Array.from(pooled, (value) => value / length);
}
