import { dot } from "./dot.ts";
import type { TrialScores } from "./eer.ts";
import { toUnit } from "./to-unit.ts";

/** A vector with its speaker; an empty speaker means unknown. */
export interface SpeakerVector {
  readonly speaker: string;
  readonly vector: Float32Array;
}

/** The cosine of every pair of vectors, separately for pairs of one speaker and of two. */
export function scorePairs(vectors: readonly SpeakerVector[]): TrialScores {
  const known = vectors.filter(({ speaker }) => speaker !== "");
  const units = known.map(({ vector }) => toUnit(vector));
  const counts = new Map<string, number>();
  for (const { speaker } of known) counts.set(speaker, (counts.get(speaker) ?? 0) + 1);
  const ofOne = [...counts.values()].reduce((sum, n) => sum + (n * (n - 1)) / 2, 0);
  const same = new Float64Array(ofOne);
  const different = new Float64Array((known.length * (known.length - 1)) / 2 - ofOne);
  let [s, d] = [0, 0];
  for (let i = 0; i < units.length; i++) {
    const unit = units[i]!;
    const { speaker } = known[i]!;
    for (let j = i + 1; j < units.length; j++) {
      const cosine = dot(unit, units[j]!);
      if (speaker === known[j]!.speaker) same[s++] = cosine;
      else different[d++] = cosine;
    }
  }
  return { same, different };
}
