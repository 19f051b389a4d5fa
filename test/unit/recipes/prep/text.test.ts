import { describe, expect, it } from "vitest";
import { characterClass } from "../../../../src/recipes/prep/clean/character-class.ts";
import { makeTextNormaliser } from "../../../../src/recipes/prep/clean/make-text-normaliser.ts";
import type { TextSection } from "../../../../src/recipes/prep/sections/text-section.ts";

describe("a text normaliser", () => {
  it.each<[section: TextSection | undefined, text: string, clean: string]>([
    [undefined, "  One\u00a0 two\u3000three \u2028", "One two three"],
    [undefined, "cafe\u0301", "café"],
    [{ unicode: "none" }, "cafe\u0301", "cafe\u0301"],
    [{ unicode: "NFKC" }, "ﬁve ２", "five 2"],
    [{ case: "lower" }, "ÉCOLE", "école"],
    [{ case: "upper" }, "straße", "STRASSE"],
    [{ case: "lower", unicode: "NFC" }, "E\u0301", "é"],
    [{ remove: ".,!?" }, "Well, yes!", "Well yes"],
    [{ remove: "^" }, "a^b", "ab"],
    [{ replace: { "’": "'", "&": " and " } }, "it’s you&me", "it's you and me"],
    [{ replace: { a: "$&" } }, "bab", "b$&b"],
    [{ replace: { "": "x" } }, "ab", "ab"],
    [{ remove: "\\p{P}" }, "«ça—va»", "çava"],
    [{ remove: ".", case: "lower" }, " ... ", ""],
  ])("with %j writes %j as %j", (section, text, clean) => {
    expect(makeTextNormaliser(section)(text)).toBe(clean);
  });
});

describe("a class of characters", () => {
  it("takes ranges, escapes and properties", () => {
    expect(characterClass("a-z' -", "allowed").test("-")).toBe(true);
    expect(characterClass("\\[\\]", "allowed").test("]")).toBe(true);
    expect(characterClass("\\p{Script=Han}", "allowed").test("漢")).toBe(true);
    expect(characterClass("^a", "allowed").test("b")).toBe(false);
  });

  it.each(["", "a]b", "[a", "\\\\]", "z-a", "\\p{Nope}", "\\"])("refuses %j and names the key", (text) => {
    expect(() => characterClass(text, "prep.text.allowed")).toThrow(
      expect.objectContaining({ code: "BAD_CONFIG", message: expect.stringContaining("prep.text.allowed") }),
    );
  });
});
