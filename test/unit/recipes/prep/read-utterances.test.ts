import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PrepSection } from "../../../../src/recipes/prep/prep-config.ts";
import { digestOf, readUtterances } from "../../../../src/recipes/prep/read-utterances.ts";
import { sharedIsAbsent, sharedPath } from "../../../support/shared-path.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

function read(text: string, section: Partial<Omit<PrepSection, "manifest">> = {}) {
  const dir = temporaryFolder();
  mkdirSync(join(dir, "wav"));
  writeFileSync(join(dir, "m.tsv"), text);
  return { dir, rows: readUtterances({ manifest: join(dir, "m.tsv"), output_dir: join(dir, "out"), ...section }) };
}

describe("a raw manifest", () => {
  it("has paths that count from its folder, and whole ones", () => {
    const { dir, rows } = read("a\twav/a.wav\tone\ts\nb\t/data/b.wav\ttwo\ts\n");
    expect(rows.map(({ path }) => path)).toEqual([join(dir, "wav/a.wav"), "/data/b.wav"]);
  });

  it("may have a header, CRLF, a byte order mark and blank lines", () => {
    const { rows } = read("\ufeffutt_id\twav_path\ttext\tspeaker_id\r\n\r\na\ta.wav\tone\ts\r\n");
    expect(rows).toMatchObject([{ id: "a", text: "one", speaker: "s" }]);
  });

  it("gives an utterance without a speaker its own id as speaker, as Kaldi does", () => {
    expect(read("a\ta.wav\tone\t\n").rows).toMatchObject([{ id: "a", speaker: "a" }]);
  });

  it.each<[what: string, line: string, problem: string]>([
    ["an id of two words", "a b\ta.wav\tx\ts", 'line 2: the utt_id "a b" is not one word'],
    ["an id with an invisible blank", "a\u00a0b\ta.wav\tx\ts", "is not one word"],
    ["an id with a control character", "a\u0001\ta.wav\tx\ts", "is not one word"],
    ["a speaker of two words", "b\ta.wav\tx\tJane Doe", 'the speaker_id "Jane Doe" is not one word'],
    ["no path", "b\t \tx\ts", "line 2: has an empty wav_path"],
    ["a path that Kaldi would run", "b\tcat /etc/passwd |\tx\ts", "would be read as something else in wav.scp"],
    ["a path that looks like a place in an archive", "b\ta.wav:12\tx\ts", "would be read as something else"],
    ["a path with a control character", "b\ta\u0007.wav\tx\ts", "holds control characters"],
    ["an id that is there already", "first\ta.wav\tx\ts", "is already on line 1"],
    ["a column too few", "b\ta.wav\tx", "has 3 values instead of 4"],
  ])("is refused with %s", (_what, line, problem) => {
    const reading = () => read(`first\ta.wav\tx\ts\n${line}\n`);
    expect(reading).toThrow(expect.objectContaining({ code: "BAD_FILE", message: expect.stringContaining(problem) }));
  });

  it("may have any path where the audio is written again", () => {
    expect(read("b\ta.wav:12\tx\ts\n", { audio: { write: true } }).rows).toHaveLength(1);
  });

  it("is refused without rows", () => {
    expect(() => read("utt_id\twav_path\ttext\tspeaker_id\n")).toThrow(/has no utterances/);
  });

  it("is known by its content", async () => {
    const rows = read("a\t/a.wav\tone\ts\n").rows;
    expect(await digestOf(rows)).toBe(await digestOf(read("a\t/a.wav\tone\ts\n").rows));
    expect(await digestOf(rows)).not.toBe(await digestOf(read("a\t/a.wav\tOne\ts\n").rows));
  });
});

describe("blanks in ids", () => {
  const text = "a b\ta.wav\tx\tJane  Doe\n";
  it("are replaced where that is asked for", () => {
    expect(read(text, { kaldi: { blanks: "_" } }).rows).toMatchObject([
      { id: "a_b", sourceId: "a b", speaker: "Jane_Doe" },
    ]);
  });

  it("may not make two ids one", () => {
    expect(() => read(`a_b\ta.wav\tx\tJane  Doe\n${text}`, { kaldi: { blanks: "_" } })).toThrow(/are both "a_b"/);
    expect(() => read(" \ta.wav\tx\ts\n", { kaldi: { blanks: "" } })).toThrow(/nothing is left of the utt_id/);
  });
});

describe("the speaker before the id", () => {
  const disordered = "1\ta.wav\tx\tbob\n2\ta.wav\tx\tann\n";
  it.each([
    ["auto", disordered, ["bob-1", "ann-2"]],
    ["auto", "ann-1\ta.wav\tx\tann\nbob-1\ta.wav\tx\tbob\n", ["ann-1", "bob-1"]],
    [false, disordered, ["1", "2"]],
    [true, "ann-1\ta.wav\tx\tann\n", ["ann-ann-1"]],
  ] as const)("is put there with %s where it should be", (speaker_prefix, text, ids) => {
    const { rows } = read(text, { kaldi: { speaker_prefix } });
    expect(rows.map(({ id }) => id)).toEqual(ids);
    expect(rows[0]!.sourceId).toBe(text.split("\t")[0]);
  });

  it("may not make two ids one", () => {
    const text = "b-c\ta.wav\tx\ta\nc\ta.wav\tx\ta-b\n";
    expect(() => read(text, { kaldi: { speaker_prefix: true } })).toThrow(/are both "a-b-c"/);
  });
});

const manifests = sharedPath("data", "odd", "manifests");

describe.skipIf(manifests === undefined)(`the odd manifests (skipped where ${sharedIsAbsent})`, () => {
  const readShared = (name: string) =>
    readUtterances({ manifest: join(manifests!, `${name}.tsv`), output_dir: "out", kaldi: { blanks: "_" } });

  it.each([
    ["good_5", 5],
    ["blank_lines", 5],
    ["crlf", 5],
    ["no_final_newline", 5],
    ["utf8_bom", 5],
    ["empty_text_and_speaker", 5],
    ["missing_file", 6],
    ["path_traversal_id", 2],
    ["all_odd", 42],
  ])("%s is read", (name, count) => {
    const rows = readShared(name);
    expect(rows.length).toBe(count);
    expect(rows.every(({ text, path }) => !/[\r\ufeff]/.test(`${text}${path}`))).toBe(true);
  });

  it.each([
    ["duplicate_id", /line 6: the utt_id "1688-142285-0000" is already on line 1/],
    ["empty", /has no utterances/],
    ["five_columns", /5 lines are wrong:\n {2}line 1: has 5 values instead of 4/],
    ["three_columns", /5 lines are wrong:\n {2}line 1: has 3 values instead of 4/],
    ["latin1_bytes", /line 6 is not UTF-8/],
  ])("%s is refused", (name, problem) => {
    expect(() => readShared(name)).toThrow(problem);
  });
});
