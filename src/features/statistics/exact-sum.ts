import { MillraceError } from "../../shared/errors.ts";

/**
 * Sums of many numbers, one for each column, without any rounding: the true sum of a column is the sum of its numbers in
 * all levels. So the order in which numbers come, and how they were put together before, changes nothing. Plain data, so
 * that it can be kept in a checkpoint. Two or three levels are there in practice, each reaching 53 bits further down.
 */
export type ExactSum = Float64Array[];

/**
 * Adds a number to each column. What an addition rounds off is known exactly (Knuth's two-sum) and goes to the level below;
 * a level is added when the last one rounds too. `values` is used up.
 */
export function addExactly(levels: ExactSum, values: Float64Array): void {
  for (let level = 0; ; level++) {
    if (level === levels.length) levels.push(new Float64Array(values.length));
    if (!addToLevel(levels[level]!, values)) return;
  }
}

/** Adds `values` and leaves in it what was rounded off; says whether that is anything. */
function addToLevel(level: Float64Array, values: Float64Array): boolean {
  let isRounded = false;
  for (let i = 0; i < values.length; i++) {
    const a = level[i]!;
    const b = values[i]!;
    const sum = a + b;
    const ofB = sum - a;
    const rest = a - (sum - ofB) + (b - ofB);
    level[i] = sum;
    values[i] = rest;
    // Also true of NaN, which is what is left where the sum is too large.
    if (rest !== 0) isRounded = true;
  }
  if (isRounded && !values.every(Number.isFinite)) throw tooLarge();
  return isRounded;
}

/** Adds what another sum holds. */
export function mergeExactly(into: ExactSum, from: ExactSum): void {
  for (const level of from) addExactly(into, level.slice());
}

function tooLarge(): MillraceError {
  return new MillraceError("BAD_RECORD", "A sum of features is not finite, or is too large for a number of 64 bits.", {
    hint: "Look for NaN, infinities and values beyond 1e150 in the features.",
  });
}
