// Checkpoints take at most 1/100 of the time, as long as that keeps the bound below.
const usualShare = 100;
// Otherwise they take at most 1/5 of it.
const minShare = 5;
// A kill repeats at most 5 s of work, or 1/100 of what was done, whichever is more.
const boundMs = 5000;
const boundShare = 100;

export interface CheckpointCosts {
  /** The option `checkpointInterval`: the shortest time between two checkpoints. */
  readonly optionMs: number;
  /** How long one checkpoint takes. */
  readonly costMs: number;
  /** For how long the worker has run items. */
  readonly workedMs: number;
}

export interface CheckpointInterval {
  readonly intervalMs: number;
  /** With a longer interval, a kill repeats more work than it should. */
  readonly boundMs: number;
}

/**
 * How long to wait from one checkpoint to the next. Slow checkpoints are saved less often, but what a kill repeats
 * stays below a bound. Only a checkpoint that takes more than a fifth of the bound exceeds it.
 */
export function checkpointInterval({ optionMs, costMs, workedMs }: CheckpointCosts): CheckpointInterval {
  const bound = Math.max(optionMs, boundMs, workedMs / boundShare);
  const cheap = Math.min(costMs * usualShare, bound);
  return { intervalMs: Math.max(optionMs, cheap, costMs * minShare), boundMs: bound };
}
