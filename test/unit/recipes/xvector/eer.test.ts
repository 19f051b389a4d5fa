import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eer } from "../../../../src/recipes/xvector/eer.ts";
import { scorePairs } from "../../../../src/recipes/xvector/score-pairs.ts";

/** By the definition: every score as a threshold, all trials counted each time. */
function slowEer(same: readonly number[], different: readonly number[]) {
  let best = { gap: Infinity, eer: 1 };
  for (const threshold of [...same, ...different].sort((a, b) => b - a)) {
    const falseAccepts = different.filter((score) => score >= threshold).length / different.length;
    const misses = same.filter((score) => score < threshold).length / same.length;
    const gap = Math.abs(falseAccepts - misses);
    if (gap < best.gap) best = { gap, eer: (falseAccepts + misses) / 2 };
  }
  return best.eer;
}

describe("eer", () => {
  it("is 0 where all pairs of one speaker score higher than all others", () => {
    expect(eer({ same: [0.9, 0.8], different: [0.1, 0.2, 0.3] })).toEqual({ eer: 0, threshold: 0.8 });
  });

  it("is 1 where it is the other way round", () => {
    expect(eer({ same: [0.1], different: [0.9] })!.eer).toBe(1);
  });

  it("is a half where scores say nothing", () => {
    expect(eer({ same: [0.5, 0.5], different: [0.5] })!.eer).toBe(0.5);
  });

  it("counts one wrong pair on either side", () => {
    const same = [0.9, 0.8, 0.7, 0.2];
    const different = [0.75, 0.1, 0.05, 0];
    expect(eer({ same, different })!.eer).toBe(0.25);
  });

  it("is undefined without pairs of one kind", () => {
    expect(eer({ same: [], different: [0.2] })).toBeUndefined();
    expect(eer({ same: [0.2], different: [] })).toBeUndefined();
  });

  it("is what the definition says, also with equal scores", () => {
    const scores = fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(scores, scores, (same, different) => {
        expect(eer({ same, different })!.eer).toBeCloseTo(slowEer(same, different), 12);
      }),
    );
  });
});

describe("scorePairs", () => {
  const of = (speaker: string, ...vector: number[]) => ({ speaker, vector: Float32Array.from(vector) });

  it("scores every pair once, apart by whether it is of one speaker, whatever the lengths of the vectors", () => {
    const { same, different } = scorePairs([of("a", 1, 0), of("a", 3, 0), of("b", 0, 2)]);
    expect([...(same as Float64Array)]).toEqual([1]);
    expect([...(different as Float64Array)]).toEqual([0, 0]);
  });

  it("leaves out utterances whose speaker is not known", () => {
    const { same, different } = scorePairs([of("", 1, 0), of("", 1, 0), of("b", 0, 2)]);
    expect([same.length, different.length]).toEqual([0, 0]);
  });
});
