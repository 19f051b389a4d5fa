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
  ["the cat sat on the mat", "the cat sit on mat", [4, 1, 1, 0]],
])("aligns %j with %j", (reference, hypothesis, expected) => {
  expect(counts(reference, hypothesis)).toEqual(expected);
});
