import { checkMatrix } from "./check-matrix.ts";
import { checkFeatureOptions, whole } from "./check-options.ts";
import type { FeatureMatrix } from "./feature-matrix.ts";

/** Options of {@link addDeltas}, with Kaldi's names and defaults. */
export interface DeltaOptions {
  /** Number of derivatives to add. Default: 2. */
  readonly deltaOrder?: number | undefined;
  /** Frames on each side that a derivative uses. Default: 2. */
  readonly deltaWindow?: number | undefined;
}

/**
 * Appends the derivatives over time to each row: Kaldi's `add-deltas`. Beyond the ends the first and last rows are
 * repeated.
 */
export function addDeltas(matrix: FeatureMatrix, options: DeltaOptions = {}): FeatureMatrix {
  checkMatrix("addDeltas", matrix);
  const rules = { deltaOrder: whole(2, { min: 0, max: 100 }), deltaWindow: whole(2, { min: 1, max: 1000 }) };
  const { deltaOrder, deltaWindow } = checkFeatureOptions("addDeltas", options, rules);
  const { data, rows, columns } = matrix;
  const width = columns * (deltaOrder + 1);
  const result = new Float32Array(rows * width);
  derivativeScales(deltaOrder, deltaWindow).forEach((scales, order) => {
    const reach = scales.length >> 1;
    for (let row = 0; row < rows; row++) {
      const to = row * width + order * columns;
      for (let j = -reach; j <= reach; j++) {
        const scale = scales[j + reach]!;
        const from = Math.min(rows - 1, Math.max(0, row + j)) * columns;
        if (scale !== 0) for (let i = 0; i < columns; i++) result[to + i] = result[to + i]! + scale * data[from + i]!;
      }
    }
  });
  return { data: result, rows, columns: width };
}

/**
 * The weights of the surrounding frames for each derivative: the weights of the previous derivative, convolved with a
 * slope.
 */
function derivativeScales(order: number, window: number): Float64Array[] {
  const scales = [Float64Array.of(1)];
  let squares = 0;
  for (let j = -window; j <= window; j++) squares += j * j;
  for (let i = 1; i <= order; i++) {
    const before = scales[i - 1]!;
    const next = new Float64Array(before.length + 2 * window);
    for (let j = -window; j <= window; j++) {
      before.forEach((scale, k) => {
        next[j + window + k] = next[j + window + k]! + (j * scale) / squares;
      });
    }
    scales.push(next);
  }
  return scales;
}
