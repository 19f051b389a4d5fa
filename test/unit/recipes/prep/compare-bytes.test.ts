import fc from "fast-check";
import { expect, it } from "vitest";
import { compareBytes } from "../../../../src/recipes/prep/compare-bytes.ts";

it("strings compare as their UTF-8 bytes do", () => {
  const text = fc.string({
    unit: fc.oneof(fc.constantFrom("a", "b", "\uffff", "\ue000", "😀"), fc.string({ unit: "binary" })),
  });
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareBytes(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
    { numRuns: 2000 },
  );
});
