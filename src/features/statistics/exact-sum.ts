import { MillraceError } from "../../shared/errors.ts";

/**
 * Sums of many numbers, one for each column, without any rounding: the true sum of a column is the sum of its numbers in
 * all levels. So the order in which numbers come, and how they were put together before, changes nothing. Plain data, so
 * that it can be kept in a checkpoint. Two or three levels are there in practice, each reaching 53 bits further down.
 */
export type ExactSum = Float64Array[];

/**
 * Adds a number to each column: those in `values` from `from` on, which are used up. What an addition rounds off is known
 * exactly (Knuth's two-sum) and goes to the level below; a level is added when the last one rounds too.
 */
export function addExactly(levels: ExactSum, values: Float64Array, from: number, columns: number): void {
  for (let level = 0; ; level++) {
    if (level === levels.length) levels.push(new Float64Array(columns));
    if (!addToLevel(levels[level]!, values, from)) return;
  }
}

/** Adds the numbers and leaves in their place what was rounded off; says whether that is anything. */
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
    // Also true of NaN, which is what is left where the sum is too large.
    if (rest !== 0) isRounded = true;
  }
  if (isRounded && !values.subarray(from, from + level.length).every(Number.isFinite)) throw tooLarge();
  return isRounded;
}

// Typed arrays are dear to make and to clear away, and this is needed for every batch.
let scratch = new Float64Array(256);

/** Adds what another sum holds, and leaves that one as it is. */
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
