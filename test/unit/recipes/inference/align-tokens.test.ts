import fc from "fast-check";
import { expect, it } from "vitest";
import { alignTokens } from "../../../../src/recipes/inference/align-tokens.ts";

const counts = (reference: string, hypothesis: string) => {
  const words = (text: string) => text.split(" ").filter((word) => word !== "");
  const { correct, substituted, deleted, inserted } = alignTokens(words(reference), words(hypothesis));
  return [correct, substituted, deleted, inserted];
};

it.each([
  ["a b c", "a b c", [3, 0, 0, 0]],
  ["a b c", "a x c", [2, 1, 0, 0]],
  ["a b c", "a c", [2, 0, 1, 0]],
  ["a c", "a b c", [2, 0, 0, 1]],
  ["", "a b", [0, 0, 0, 2]],
  ["a b", "", [0, 0, 2, 0]],
  ["", "", [0, 0, 0, 0]],
  ["a b c d", "b c d e", [3, 0, 1, 1]],
  ["a a", "a", [1, 0, 1, 0]],
  ["a b", "b a", [0, 2, 0, 0]],
  ["the cat sat on the mat", "the cat sit on mat", [4, 1, 1, 0]],
])("aligns %j with %j", (reference, hypothesis, expected) => {
  expect(counts(reference, hypothesis)).toEqual(expected);
});

/** All ways there are, by recursion over the first tokens: the fewest edits, then the fewest gaps. */
function bruteForce(ref: readonly string[], hyp: readonly string[]): [edits: number, gaps: number] {
  if (ref.length === 0 || hyp.length === 0) return [ref.length + hyp.length, ref.length + hyp.length];
  const [both, less, more] = [
    bruteForce(ref.slice(1), hyp.slice(1)),
    bruteForce(ref.slice(1), hyp),
    bruteForce(ref, hyp.slice(1)),
  ];
  const ways: [number, number][] = [
    [both[0] + (ref[0] === hyp[0] ? 0 : 1), both[1]],
    [less[0] + 1, less[1] + 1],
    [more[0] + 1, more[1] + 1],
  ];
  return ways.sort((a, b) => a[0] - b[0] || a[1] - b[1])[0]!;
}

it("finds the fewest edits, and of those the fewest gaps, of all ways there are", () => {
  const tokens = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 6 });
  fc.assert(
    fc.property(tokens, tokens, (ref, hyp) => {
      const { correct, substituted, deleted, inserted, length } = alignTokens(ref, hyp);
      expect([substituted + deleted + inserted, deleted + inserted]).toEqual(bruteForce(ref, hyp));
      expect(correct + substituted + deleted).toBe(length);
      expect(correct + substituted + inserted).toBe(hyp.length);
    }),
    { numRuns: 300 },
  );
});
