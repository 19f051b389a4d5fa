import { checkMatrix } from "./check-matrix.ts";
import { checkFeatureOptions, whole } from "./check-options.ts";
import type { FeatureMatrix } from "./feature-matrix.ts";

/** Options of {@link addDeltas}, with Kaldi's names and defaults. */
export interface DeltaOptions {
  /** How many derivatives are added. Default: 2. */
  readonly deltaOrder?: number | undefined;
  /** Frames to each side that one derivative looks at. Default: 2. */
  readonly deltaWindow?: number | undefined;
}

/** Each row with its derivatives over time behind it: Kaldi's `add-deltas`. Beyond the ends the outermost rows go on. */
export function addDeltas(matrix: FeatureMatrix, options: DeltaOptions = {}): FeatureMatrix {
  checkMatrix("addDeltas", matrix);
  const rules = { deltaOrder: whole(2, { least: 0, most: 100 }), deltaWindow: whole(2, { least: 1, most: 1000 }) };
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

/** The weights of the frames around one for each derivative: that of the one before, convolved with a slope. */
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
