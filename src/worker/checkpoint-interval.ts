// Checkpoints take at most 1/100 of the time, as long as the bound below can be kept with that.
const usualShare = 100;
// Otherwise they take at most 1/5 of it.
const leastShare = 5;
// A kill repeats at most 5 s of work, or 1/100 of what was done, whichever is more.
const boundMs = 5000;
const boundShare = 100;

export interface CheckpointCosts {
  /** The option `checkpointInterval`: checkpoints come no more often than this. */
  readonly optionMs: number;
  /** What a checkpoint takes. */
  readonly costMs: number;
  /** For how long the worker has run items. */
  readonly workedMs: number;
}

export interface CheckpointInterval {
  readonly intervalMs: number;
  /** Above it, a kill repeats more than it should. */
  readonly boundMs: number;
}

/**
 * How long to wait from one checkpoint to the next. Dear checkpoints come less often, but what a kill repeats stays below a
 * bound; only a checkpoint that takes more than a fifth of that goes beyond it.
 */
export function checkpointInterval({ optionMs, costMs, workedMs }: CheckpointCosts): CheckpointInterval {
  const bound = Math.max(optionMs, boundMs, workedMs / boundShare);
  const cheap = Math.min(costMs * usualShare, bound);
  return { intervalMs: Math.max(optionMs, cheap, costMs * leastShare), boundMs: bound };
}
