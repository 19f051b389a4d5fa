import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toByteSource } from "../../../../src/formats/byte-source.ts";
import { formatTsvHeader, formatTsvRow } from "../../../../src/formats/lines/format-tsv.ts";
import { type ParseTsvOptions, parseTsv } from "../../../../src/formats/lines/parse-tsv.ts";
import { readTsv, writeTsv } from "../../../../src/formats/lines/tsv-file.ts";
import { sharedPath } from "../../../support/shared-path.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const columns = ["utt_id", "wav", "text"] as const;
type Options = Partial<ParseTsvOptions<(typeof columns)[number]>>;
const parse = (text: string | Uint8Array, options: Options = {}) =>
  parseTsv(toByteSource(Buffer.from(text), "x.tsv"), { columns, ...options });

describe("parseTsv", () => {
  it("reads lines without a header, as they stand", () => {
    expect(parse('u1\ta.wav\t"grüß" \\n\nu2\tb.wav\t')).toEqual([
      { utt_id: "u1", wav: "a.wav", text: '"grüß" \\n' },
      { utt_id: "u2", wav: "b.wav", text: "" },
    ]);
  });

  it("finds a header, with a byte order mark, the ends of lines of Windows and another order", () => {
    expect(parse("\ufefftext\tutt_id\twav\r\nja\tu1\ta.wav\r\n\r\n")).toEqual([
      { utt_id: "u1", wav: "a.wav", text: "ja" },
    ]);
  });

  it("takes the first line for a row where there is no header, whatever it holds", () => {
    expect(parse("utt_id\twav\ttext\n", { header: false })).toEqual([{ utt_id: "utt_id", wav: "wav", text: "text" }]);
  });

  it("reports what a check says of a row with the row's line, beside what is wrong otherwise", () => {
    const check = ({ wav }: { readonly wav: string }) => (wav === "" ? "has no wav" : undefined);
    expect(() => parse("\nu1\t\tja\nu2\ta.wav\nu3\tb.wav\tnein\n", { check })).toThrowError(
      "x.tsv: 2 lines are wrong:\n  line 2: has no wav\n  line 3: has 2 values instead of 3: u2\ta.wav",
    );
    const lines: number[] = [];
    expect(parse("u1\t\tja\nu3\tb.wav\tnein\n", { check, onProblem: ({ line }) => lines.push(line) })).toHaveLength(1);
    expect(lines).toEqual([1]);
  });

  it("refuses a header that names other columns", () => {
    expect(() => parse("id\twav\ttext\nu1\ta\tb\n", { header: true })).toThrowError(
      "x.tsv: one line is wrong:\n  line 1: should name the columns utt_id, wav, text, and is id\twav\ttext",
    );
  });

  it("reports all wrong counts of values and ids that come twice, with their lines", () => {
    const text = "u1\ta\tb\nu2\ta\nu1\tc\td\nu3\ta\tb\tc\n\tx\ty\nu1\te\tf\n";
    expect(() => parse(text, { id: "utt_id" })).toThrowError(
      [
        "x.tsv: 5 lines are wrong:",
        "  line 2: has 2 values instead of 3: u2\ta",
        '  line 3: the utt_id "u1" is already on line 1',
        "  line 4: has 4 values instead of 3: u3\ta\tb\tc",
        "  line 5: has an empty utt_id",
        '  line 6: the utt_id "u1" is already on line 1',
        "  -> Each line has 3 values between tabs: utt_id, wav, text.",
      ].join("\n"),
    );
  });

  it("counts what it does not show", () => {
    expect(() => parse("x\n".repeat(1000))).toThrowError(
      /1000 lines are wrong:[\s\S]*line 200: [^\n]*\n {2}and 800 more/,
    );
  });

  it("reports each to a listener and continues without them", () => {
    const problems: unknown[] = [];
    expect(parse("u1\ta\tb\nu2\n", { onProblem: (problem) => problems.push(problem) })).toHaveLength(1);
    expect(problems).toEqual([{ line: 2, what: "has 1 value instead of 3: u2" }]);
  });

  it("refuses bytes that are not UTF-8, naming line and offset", () => {
    expect(() => parse(Buffer.from("u1\ta\tb\nu\xff", "latin1"))).toThrowError("x.tsv, offset 7: line 2 is not UTF-8");
  });

  it("reads the manifest of the test data (needs ../shared/data)", (context) => {
    const path = sharedPath("data/speech/manifest.tsv");
    if (path === undefined) return context.skip("../shared/data is missing");
    const rows = readTsv(path, { columns: ["utt_id", "wav_path", "text", "speaker_id"], id: "utt_id" });
    expect(rows).toHaveLength(100);
    expect(new Set(rows.map((row) => row.speaker_id)).size).toBe(10);
  });
});

describe("odd manifests (need ../shared/data)", () => {
  const folder = sharedPath("data/odd/manifests");
  const readOdd = (name: string) => {
    return readTsv(`${folder}/${name}.tsv`, { columns: ["utt_id", "wav_path", "text", "speaker_id"], id: "utt_id" });
  };

  it
    .skipIf(folder === undefined)
    .each(["crlf", "utf8_bom", "blank_lines", "no_final_newline", "empty_text_and_speaker"])("%s is read", (name) => {
    const good = readOdd("good_5");
    expect(readOdd(name).map((row) => row.utt_id)).toEqual(
      good.map((row) => row.utt_id).slice(0, readOdd(name).length),
    );
    for (const row of readOdd(name)) expect(Object.values(row).join("")).not.toMatch(/[\r\ufeff]/);
  });

  it.skipIf(folder === undefined).each([
    ["duplicate_id", /is already on line \d/],
    ["three_columns", /has 3 values instead of 4/],
    ["five_columns", /has 5 values instead of 4/],
    ["latin1_bytes", /line \d+ is not UTF-8/],
  ])("%s is refused", (name, why) => {
    expect(() => readOdd(name)).toThrowError(why);
  });
});

describe("formatTsvRow", () => {
  it("gives lines that are read back as what was written, or refuses the values", () => {
    const rows = fc.array(
      fc.record({ utt_id: fc.string({ unit: "binary" }), wav: fc.string(), text: fc.string({ unit: "grapheme" }) }),
    );
    fc.assert(
      fc.property(rows, (written) => {
        const sound = written.filter((row) =>
          Object.values(row).every((value) => !/[\t\n\r\p{Surrogate}]/u.test(value)),
        );
        const text = formatTsvHeader(columns) + sound.map((row) => formatTsvRow(row, columns)).join("");
        expect(parse(text)).toEqual(sound);
        for (const row of written.filter((candidate) => !sound.includes(candidate))) {
          expect(() => formatTsvRow(row, columns)).toThrowError(expect.objectContaining({ code: "BAD_RECORD" }));
        }
      }),
    );
  });

  it.each(["a\tb", "a\nb", "a\r", "\ud800"])("refuses %j", (text) => {
    expect(() => formatTsvRow({ text }, ["text"])).toThrowError(/^A value of the column "text" holds/);
  });

  it("refuses values that are no texts, and a line that would be empty", () => {
    expect(() => formatTsvRow({ text: 1 as unknown as string }, ["text"])).toThrowError("is number, not a text");
    expect(() => formatTsvRow({ text: "" }, ["text"])).toThrowError("is the only one of its line");
  });
});

describe("writeTsv", () => {
  it("writes a manifest, with a header where that is wanted", () => {
    const path = join(temporaryFolder(), "deep", "x.tsv");
    const rows = [{ id: "a", text: "ü" }];
    expect(writeTsv(path, rows, { columns: ["id", "text"] })).toBe(1);
    expect(readFileSync(path, "utf8")).toBe("a\tü\n");
    writeTsv(path, rows, { columns: ["text", "id"], header: true });
    expect(readFileSync(path, "utf8")).toBe("text\tid\nü\ta\n");
    expect(readTsv(path, { columns: ["id", "text"] })).toEqual(rows);
  });
});
