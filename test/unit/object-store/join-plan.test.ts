import fc from "fast-check";
import { expect, it } from "vitest";
import { planJoin } from "../../../src/object-store/copy-objects.ts";
import { xmlElements, xmlText } from "../../../src/object-store/read-xml.ts";

it("joins any sources in their order, of parts that a store accepts", () => {
  const source = fc.record({ from: fc.nat({ max: 50 }), length: fc.nat({ max: 60 }) });
  const sizes = { minBytes: 5, maxBytes: 17 };
  fc.assert(
    fc.property(fc.array(source, { maxLength: 8 }), (drawn) => {
      const sources = drawn.map(({ from, length }, i) => ({ key: `k${i}`, from, to: from + length }));
      const pieces = planJoin(sources, sizes);
      const bytes = (part: { key: string; from: number; to: number }) =>
        Array.from({ length: part.to - part.from }, (_, i) => `${part.key}.${part.from + i}`);
      const flat = pieces.flatMap((piece) => (piece.kind === "copy" ? [piece.part] : piece.parts));
      expect(flat.flatMap(bytes)).toEqual(sources.flatMap(bytes));
      const lengths = pieces.map((piece) => (piece.kind === "copy" ? [piece.part] : piece.parts).flatMap(bytes).length);
      expect(lengths.slice(0, -1).every((length) => length >= sizes.minBytes)).toBe(true);
      expect(lengths.every((length) => length <= sizes.maxBytes)).toBe(true);
    }),
  );
});

it("reads the answers of stores", () => {
  const text =
    '<?xml version="1.0"?><R xmlns="x"><Key>a&amp;b&#x41;&#66;</Key><KeyCount>2</KeyCount><Key/><Key>c</Key><Open>';
  expect(xmlElements(text, "Key")).toEqual(["a&amp;b&#x41;&#66;", "", "c"]);
  expect(xmlText(text, "Key")).toBe("a&bAB");
  expect(xmlText(text, "Open")).toBeUndefined();
  expect(xmlText("<Key>&#x110000;&bad;</Key>", "Key")).toBe("&#x110000;&bad;");
});
