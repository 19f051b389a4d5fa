/** Scores of trials: of pairs of one speaker, and of pairs of two speakers. */
export interface TrialScores {
  readonly same: ArrayLike<number>;
  readonly different: ArrayLike<number>;
}

/** The point at which the false-accept rate equals the false-reject rate. */
export interface EqualErrorRate {
  /** From 0 to 1. */
  readonly eer: number;
  /** Scores at or above this are accepted as the same speaker. */
  readonly threshold: number;
}

/**
 * The equal error rate: going through the scores from the highest on, compares the fraction of different pairs at or
 * above each score with the fraction of same pairs below it; where they differ least, their mean is the rate. Equal
 * scores count as one. Undefined without trials of both kinds.
 */
export function eer({ same, different }: TrialScores): EqualErrorRate | undefined {
  if (same.length === 0 || different.length === 0) return undefined;
  const owners = new Float64Array(same).sort();
  const others = new Float64Array(different).sort();
  let [i, j] = [owners.length, others.length];
  let best = { gap: Number.POSITIVE_INFINITY, eer: 1, threshold: Number.POSITIVE_INFINITY };
  while (i > 0 || j > 0) {
    const score = Math.max(i > 0 ? owners[i - 1]! : -Infinity, j > 0 ? others[j - 1]! : -Infinity);
    while (i > 0 && owners[i - 1]! >= score) i--;
    while (j > 0 && others[j - 1]! >= score) j--;
    const falseAccepts = (others.length - j) / others.length;
    const misses = i / owners.length;
    const gap = Math.abs(falseAccepts - misses);
    if (gap < best.gap) best = { gap, eer: (falseAccepts + misses) / 2, threshold: score };
    if (falseAccepts > misses + best.gap) break;
  }
  return { eer: best.eer, threshold: best.threshold };
}
