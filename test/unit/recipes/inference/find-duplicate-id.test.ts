import fc from "fast-check";
import { expect, it } from "vitest";
import { findDuplicateId } from "../../../../src/recipes/inference/find-duplicate-id.ts";

it("finds the place where an id comes again, and nothing where none does", () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.string({ maxLength: 2 }))), (files) => {
      const all = files.flat();
      const names = files.map((_, i) => String(i));
      const found = findDuplicateId(names, (name) => files[Number(name)]!, all.length);
      expect(found !== undefined).toBe(new Set(all).size < all.length);
      if (found === undefined) return;
      const [first, second] = found.places.map(({ file, line }) => files[Number(file)]![line - 1]);
      expect([first, second]).toEqual([found.id, found.id]);
    }),
  );
});

it("is not misled by ids that look alike, of which there are many", () => {
  const ids = Array.from({ length: 200_000 }, (_, i) => `utt-${i % 1000}-${Math.floor(i / 1000)}`);
  expect(findDuplicateId(["a"], () => ids, ids.length)).toBeUndefined();
  expect(findDuplicateId(["a"], () => [...ids, "utt-7-9"], ids.length + 1)).toEqual({
    id: "utt-7-9",
    places: [
      { file: "a", line: 9008 },
      { file: "a", line: 200_001 },
    ],
  });
});
