import type { FeatureMatrix } from "./feature-matrix.ts";

/** The first rows of the cosine transform (type 2): `ortho` preserves norms, `none` is twice the plain sum. */
export function makeDct(outputs: number, inputs: number, norm: "ortho" | "none"): Float64Array {
  const matrix = new Float64Array(outputs * inputs);
  for (let k = 0; k < outputs; k++) {
    const scale = norm === "none" ? 2 : Math.sqrt((k === 0 ? 1 : 2) / inputs);
    for (let n = 0; n < inputs; n++) matrix[k * inputs + n] = scale * Math.cos((Math.PI / inputs) * (n + 0.5) * k);
  }
  return matrix;
}

/** Multiplies every row with a matrix of `outputs` rows. */
export function multiplyRows(
  { data, rows, columns }: FeatureMatrix,
  matrix: Float64Array,
  outputs: number,
): FeatureMatrix {
  const result = new Float32Array(rows * outputs);
  for (let row = 0, to = 0; row < rows; row++) {
    const from = row * columns;
    for (let k = 0; k < outputs; k++) {
      let sum = 0;
      const weights = k * columns;
      for (let n = 0; n < columns; n++) sum += data[from + n]! * matrix[weights + n]!;
      result[to++] = sum;
    }
  }
  return { data: result, rows, columns: outputs };
}
