import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatScore } from "../../../../src/recipes/inference/format-score.ts";
import { normaliseText } from "../../../../src/recipes/inference/normalise-text.ts";
import { score } from "../../../../src/recipes/inference/score.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const ref = ["the cat sat", "hello world", "Ärger, überall!", "good"];
const hyp = ["the cat sat", "hello word", "ärger überall", ""];

describe("a score", () => {
  it("counts words and characters, as they are", () => {
    const { words, characters, utterances, wrongUtterances } = score({ hyp, ref });
    expect({ utterances, wrongUtterances }).toEqual({ utterances: 4, wrongUtterances: 3 });
    expect(words).toEqual({ correct: 4, substituted: 3, deleted: 1, inserted: 0, length: 8, errors: 4, rate: 0.5 });
    expect(characters).toMatchObject({ substituted: 1, deleted: 7, inserted: 0, length: 41, errors: 8 });
  });

  it("ignores what the options name", () => {
    const { words } = score({ hyp, ref }, { ignoreCase: true, removePunctuation: true });
    expect(words).toMatchObject({ substituted: 1, deleted: 1, errors: 2 });
    expect(score({ hyp: ["a  b"], ref: ["ab"] }, { countSpaces: false }).characters.errors).toBe(0);
  });

  it("reads the lists of a run, in whatever order they are", () => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, "hyp.scp"), "a one\nb two\\nlines\nc three\n");
    writeFileSync(join(dir, "ref.scp"), "c three\nb two lines\na one two\n");
    expect(score(dir).words).toMatchObject({ correct: 4, deleted: 1, length: 5 });
    mkdirSync(join(dir, "more"));
    writeFileSync(join(dir, "more", "best.scp"), "a one\n");
    const sources = { hyp: join(dir, "more", "best.scp"), ref: join(dir, "ref.scp") };
    expect(() => score(sources)).toThrow('2 references have no hypothesis: "c", "b".');
    expect(score(sources, { missing: "empty" }).words).toMatchObject({ correct: 1, deleted: 4 });
    expect(() => score({ hyp: sources.ref, ref: sources.hyp }, { missing: "empty" })).toThrow(
      "2 hypotheses have no reference",
    );
    expect(() => score(join(dir, "none"))).toThrow(/There is no file .*hyp\.scp/);
  });

  it("refuses lists of different length, and an id that occurs twice", () => {
    expect(() => score({ hyp: ["a"], ref: [] })).toThrow("There are 1 hypotheses and 0 references.");
    const dir = temporaryFolder();
    writeFileSync(join(dir, "hyp.scp"), "a one\na one\n");
    writeFileSync(join(dir, "ref.scp"), "b one\nc one\n");
    expect(() => score(dir)).toThrow('The id "a" occurs twice');
  });

  it("has a rate without a reference too", () => {
    expect(score({ hyp: [""], ref: [""] }).words.rate).toBe(0);
    expect(score({ hyp: ["a"], ref: [""] }).words.rate).toBe(Number.POSITIVE_INFINITY);
    expect(score({ hyp: [], ref: [] })).toMatchObject({ utterances: 0, words: { rate: 0 }, worst: [] });
  });

  it("keeps the worst, worst first, also of many", () => {
    const many = Array.from({ length: 3000 }, (_, i) => "x ".repeat(i % 100).trim());
    const { worst, wrongUtterances } = score({ hyp: many.map(() => ""), ref: many }, { worst: 3 });
    expect(worst.map(({ words, id }) => [words.errors, id])).toEqual([
      [99, "1099"],
      [99, "1199"],
      [99, "1299"],
    ]);
    expect(wrongUtterances).toBe(2970);
  });

  it("is written as a table to read and as TSV", () => {
    const dir = temporaryFolder();
    const result = score({ hyp: [...hyp, "a\tb\u001b[2J"], ref: [...ref, "a"] }, { worst: 2, outputDir: dir });
    expect(readFileSync(join(dir, "score.txt"), "utf8")).toBe(formatScore(result));
    expect(formatScore(result)).toBe(
      [
        "5 utterances, 4 with errors (80.00 %)",
        "",
        "            tokens  correct  sub  del  ins  errors     rate",
        "words            9        5    3    1    1       5  55.56 %",
        "characters      42       34    1    7    6      14  33.33 %",
        "",
        "The 2 utterances with the most wrong words:",
        "",
        "2  2 of 2 words (2 sub, 0 del, 0 ins; 100.00 %), characters 20.00 %",
        "  ref: Ärger, überall!",
        "  hyp: ärger überall",
        "",
        "4  1 of 1 words (0 sub, 0 del, 1 ins; 100.00 %), characters 600.00 %",
        "  ref: a",
        "  hyp: a b\\u001b[2J",
        "",
      ].join("\n"),
    );
    expect(readFileSync(join(dir, "score.tsv"), "utf8").split("\n")).toEqual([
      "id\twords\tcorrect\tsub\tdel\tins\twer\tcer\tref\thyp",
      "2\t2\t0\t2\t0\t0\t1.0000\t0.2000\tÄrger, überall!\tärger überall",
      "4\t1\t1\t0\t0\t1\t1.0000\t6.0000\ta\ta b\\u001b[2J",
      "",
    ]);
  });
});

describe("a text to be compared", () => {
  it.each([
    ["  a \t b\n", {}, "a b"],
    ["Don't stop-me, «now»! - 'ok'", { removePunctuation: true }, "Don't stop-me now ok"],
    ["Straße É", { ignoreCase: true }, "straße é"],
    ["ﬁ é", { unicode: "NFKC" as const }, "fi é"],
    ["a1b2", { rewrite: (text: string) => text.replace(/\d/g, " ") }, "a b"],
  ])("%j with %j is %j", (text, options, expected) => {
    expect(normaliseText(text, options)).toBe(expected);
  });
});
