import type { FeatureMatrix } from "../../../speech.ts";
import type { Windows } from "../toolkits/toolkit.ts";

/** The pieces of an utterance that go through the model one by one; the whole utterance if there are no windows. */
export function cutWindows(matrix: FeatureMatrix, windows: Windows | undefined): FeatureMatrix[] {
  if (windows === undefined) return [matrix];
  const { length } = windows;
  if ("step" in windows) {
    if (matrix.rows < length) return [matrix];
    const count = Math.floor((matrix.rows - length) / windows.step) + 1;
    return Array.from({ length: count }, (_, i) => rowsOf(matrix, i * windows.step, length));
  }
  const long = repeatTo(matrix, length + 1);
  const { count } = windows;
  const last = long.rows - length;
  return Array.from({ length: count }, (_, i) =>
    rowsOf(long, count === 1 ? 0 : Math.floor((last * i) / (count - 1)), length),
  );
}

function rowsOf({ data, columns }: FeatureMatrix, from: number, rows: number): FeatureMatrix {
  return { data: data.subarray(from * columns, (from + rows) * columns), rows, columns };
}

/** Audio that is too short for one window is repeated from its beginning. */
function repeatTo(matrix: FeatureMatrix, rows: number): FeatureMatrix {
  if (matrix.rows >= rows - 1) return matrix;
  const { columns } = matrix;
  const data = new Float32Array(rows * columns);
  for (let at = 0; at < data.length; at += matrix.data.length)
    data.set(matrix.data.subarray(0, Math.min(matrix.data.length, data.length - at)), at);
  return { data, rows, columns };
}
