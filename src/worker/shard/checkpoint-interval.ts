// Checkpoints take at most 1/100 of the time, if the bound below can be kept with that.
const maxShare = 100;
// Otherwise they take at most 1/5 of it.
const maxShareForBound = 5;
// A kill repeats at most 5 s of work, or 1/100 of the work so far, whichever is more.
const boundMs = 5000;
const boundShare = 100;

export interface CheckpointCosts {
  /** The option `checkpointInterval`: the minimum time between two checkpoints. */
  readonly optionMs: number;
  /** The time that one checkpoint takes. */
  readonly costMs: number;
  /** For how long the worker has run items. */
  readonly workedMs: number;
}

export interface CheckpointInterval {
  readonly intervalMs: number;
  /** The bound: with a longer interval, a kill repeats more work than it should. */
  readonly boundMs: number;
}

/**
 * The time from one checkpoint to the next. Slow checkpoints are saved less often, but the work that a kill repeats
 * stays below a bound. The bound is exceeded only if a checkpoint takes more than a fifth of it.
 */
export function checkpointInterval({ optionMs, costMs, workedMs }: CheckpointCosts): CheckpointInterval {
  const bound = Math.max(optionMs, boundMs, workedMs / boundShare);
  const cheap = Math.min(costMs * maxShare, bound);
  return { intervalMs: Math.max(optionMs, cheap, costMs * maxShareForBound), boundMs: bound };
}
