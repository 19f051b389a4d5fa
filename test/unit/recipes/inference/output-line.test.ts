import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkScpId, formatOutputLine, parseOutputLine } from "../../../../src/recipes/inference/output-line.ts";

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("\\", "n", "r", "u", "0", "\n", "\r", "\u2028", "\u0085", " ", "\t", "a") }),
  // Halves of surrogate pairs too.
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((codes) => String.fromCharCode(...codes)),
);

describe("a line of an scp file", () => {
  it("comes back as it was, whatever the value holds", () => {
    fc.assert(
      fc.property(anyText, (value) => {
        const bytes = Buffer.from(formatOutputLine({ id: "utt1", value }), "utf8");
        expect(parseOutputLine(bytes.toString("utf8"))).toEqual({ id: "utt1", value });
      }),
      { numRuns: Number(process.env["MILLRACE_FUZZ_RUNS"] ?? 2000) },
    );
  });

  it("is one line to every reader, whatever the value holds", () => {
    fc.assert(
      fc.property(anyText, (value) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: what Python's splitlines splits at.
        expect(formatOutputLine({ id: "a", value })).not.toMatch(/[\n\v\f\r\x1c-\x1e\x85\u2028\u2029\0]/);
      }),
    );
  });

  it.each([
    ["hello world", "utt1 hello world"],
    ["", "utt1 "],
    [" two  spaces ", "utt1  two  spaces "],
    ["ärger 你好 👋\t!", "utt1 ärger 你好 👋\t!"],
    ["one\ntwo\r\n", "utt1 one\\ntwo\\r\\n"],
    ["\\alpha\u2028\0\ud800", "utt1 \\\\alpha\\u2028\\u0000\\ud800"],
  ])("of %j is %j", (value, line) => {
    expect(formatOutputLine({ id: "utt1", value })).toBe(line);
  });

  it("is read where others wrote it: with a tab, or without a value", () => {
    expect(parseOutputLine("utt1\tpath/to.wav")).toEqual({ id: "utt1", value: "path/to.wav" });
    expect(parseOutputLine("utt1")).toEqual({ id: "utt1", value: "" });
    expect(parseOutputLine("utt1 C:\\data\\x")).toEqual({ id: "utt1", value: "C:\\data\\x" });
  });
});

describe("an id", () => {
  it.each([
    ["utt1", "utt1"],
    ["../a/ö=%", "../a/ö=%"],
    [7, "7"],
    [7n, "7"],
  ])("%s is %s", (value, id) => {
    expect(checkScpId("utt_id", value)).toBe(id);
  });

  it.each<[unknown, string]>([
    [["a"], '"utt_id" must be a single value, not a list of 1.'],
    [undefined, '"utt_id" is undefined; an id is a text or a number.'],
    [{}, '"utt_id" is an object; an id is a text or a number.'],
    [Number.NaN, '"utt_id" is the number NaN; an id is a text or a number.'],
    ["", "cannot begin a line of an scp file: it is empty."],
    ["a b", 'cannot begin a line of an scp file: " " is at position 1.'],
    ["a\u00a0b", "is at position 1."],
    ["a\n", 'cannot begin a line of an scp file: "\\n" is at position 1.'],
    ["\0", "is at position 0."],
    ["a\ud800", "is at position 1."],
  ])("%j is refused", (value, message) => {
    expect(() => checkScpId("utt_id", value)).toThrow(message);
  });
});
