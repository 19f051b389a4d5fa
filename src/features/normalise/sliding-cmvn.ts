import { checkMatrix } from "../check-matrix.ts";
import { checkFeatureOptions, flag, whole } from "../check-options.ts";
import type { FeatureMatrix } from "../feature-matrix.ts";

/** Options of {@link slidingCmvn}, with Kaldi's names and defaults. */
export interface SlidingCmvnOptions {
  /** Frames of the window. Default: 600. */
  readonly cmnWindow?: number | undefined;
  /** Minimum window at the start, if it is not centred. Default: 100. */
  readonly minCmnWindow?: number | undefined;
  /** Centres the window on the frame instead of ending it there. Default: false. */
  readonly center?: boolean | undefined;
  /** Default: false. */
  readonly normVars?: boolean | undefined;
}

const rules = {
  cmnWindow: whole(600, { min: 1 }),
  minCmnWindow: whole(100, { min: 1 }),
  center: flag(false),
  normVars: flag(false),
};

/** Subtracts the mean of a sliding window from each frame: Kaldi's `apply-cmvn-sliding`. */
export function slidingCmvn(matrix: FeatureMatrix, options: SlidingCmvnOptions = {}): FeatureMatrix {
  checkMatrix("slidingCmvn", matrix);
  const checked = checkFeatureOptions("slidingCmvn", options, rules);
  const { data, rows, columns } = matrix;
  const result = new Float32Array(data.length);
  const sum = new Float64Array(columns);
  const sumSquare = new Float64Array(columns);
  const count = (row: number, sign: 1 | -1) => {
    for (let column = 0, i = row * columns; column < columns; column++, i++) {
      sum[column] = sum[column]! + sign * data[i]!;
      sumSquare[column] = sumSquare[column]! + sign * data[i]! ** 2;
    }
  };
  let [start, end] = [0, 0];
  for (let row = 0; row < rows; row++) {
    const [nextStart, nextEnd] = windowOf(row, rows, checked);
    // The window only moves forward, so every frame is added once and removed once.
    while (end < nextEnd) count(end++, 1);
    while (start < nextStart) count(start++, -1);
    const frames = end - start;
    for (let column = 0, i = row * columns; column < columns; column++, i++) {
      const mean = sum[column]! / frames;
      const difference = data[i]! - mean;
      if (!checked.normVars) result[i] = difference;
      else if (frames > 1)
        result[i] = difference / Math.sqrt(Math.max(1e-10, sumSquare[column]! / frames - mean * mean));
    }
  }
  return { data: result, rows, columns };
}

/** First and last frame of the window of a frame. A window that would reach beyond an end is shifted inside. */
function windowOf(
  row: number,
  rows: number,
  { cmnWindow, minCmnWindow, center }: { cmnWindow: number; minCmnWindow: number; center: boolean },
): [start: number, end: number] {
  let start = center ? row - (cmnWindow >> 1) : row - cmnWindow;
  let end = center ? start + cmnWindow : row + 1;
  if (start < 0) {
    end -= start;
    start = 0;
  }
  if (!center && end > row) end = Math.max(row + 1, minCmnWindow);
  if (end > rows) {
    start = Math.max(0, start - (end - rows));
    end = rows;
  }
  return [start, end];
}
