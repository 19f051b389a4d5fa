import { MillraceError } from "../../errors/errors.ts";

/**
 * Sums of many numbers, one per column, without rounding: the true sum of a column is the sum of its numbers in all
 * levels. The order and grouping of the additions therefore change nothing. Plain data, so it can be stored in a
 * checkpoint. In practice there are two or three levels, each reaching 53 bits further down.
 */
export type ExactSum = Float64Array[];

/**
 * Adds a number to each column: those in `values` from `from` on, which are overwritten. The rounding error of an
 * addition is known exactly (Knuth's two-sum) and goes to the next level; a level is added when the last one rounds
 * too.
 */
export function addExactly(levels: ExactSum, values: Float64Array, from: number, columns: number): void {
  for (let level = 0; ; level++) {
    if (level === levels.length) levels.push(new Float64Array(columns));
    if (!addToLevel(levels[level]!, values, from)) return;
  }
}

/** Adds the numbers and replaces them by their rounding errors. Returns whether any is not zero. */
function addToLevel(level: Float64Array, values: Float64Array, from: number): boolean {
  let isRounded = false;
  for (let i = 0; i < level.length; i++) {
    const a = level[i]!;
    const b = values[from + i]!;
    const sum = a + b;
    const ofB = sum - a;
    const rest = a - (sum - ofB) + (b - ofB);
    level[i] = sum;
    values[from + i] = rest;
    // Also true for NaN, the rounding error if the sum is too large.
    if (rest !== 0) isRounded = true;
  }
  if (isRounded && !values.subarray(from, from + level.length).every(Number.isFinite)) throw tooLarge();
  return isRounded;
}

// Reused: typed arrays are expensive to create and collect, and every batch needs one.
let scratch = new Float64Array(256);

/** Adds another sum, which is not changed. */
export function mergeExactly(into: ExactSum, from: ExactSum): void {
  for (const level of from) {
    if (scratch.length < level.length) scratch = new Float64Array(level.length);
    scratch.set(level);
    addExactly(into, scratch, 0, level.length);
  }
}

function tooLarge(): MillraceError {
  return new MillraceError("BAD_RECORD", "A sum of features is not finite, or is too large for a number of 64 bits.", {
    hint: "Look for NaN, infinities and values beyond 1e150 in the features.",
  });
}
