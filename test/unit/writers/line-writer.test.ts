import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { copyPrefix } from "../../../src/run-folder/shard/copy-prefix.ts";
import { describeFile } from "../../../src/run-folder/shard/done.ts";
import { jsonlWriter } from "../../../src/writers/jsonl-writer.ts";
import { textWriter } from "../../../src/writers/text-writer.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const words = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: "binary" }) },
  { weight: 2, arbitrary: fc.constantFrom("größe", "日本語", "😀", "\ud800", "a\nb\r\u2028") },
  // Longer than what is gathered before it is written.
  { weight: 1, arbitrary: fc.integer({ min: 60_000, max: 70_000 }).map((length) => "é".repeat(length)) },
);
// Some are put in place, others encoded as text.
const records = fc.oneof(words, fc.record({ frames: fc.integer() }), fc.record({ frames: fc.integer(), word: words }));
const steps = fc.array(
  fc.record({ record: records, isKilledAfter: fc.boolean(), lost: fc.array(records, { maxLength: 2 }) }),
  { maxLength: 12 },
);

describe("a line writer", () => {
  it("writes one record a line and describes the file by its bytes", () => {
    const dir = temporaryFolder();
    const writer = jsonlWriter(dir);
    for (const record of [{ utt: "ä" }, 5, null, "a\nb"]) writer.write(record);
    writer.close();
    expect(readFileSync(join(dir, "records.jsonl"), "utf8")).toBe('{"utt":"ä"}\n5\nnull\n"a\\nb"\n');
    expect(writer.files()).toEqual([{ ...describeFile(dir, "records.jsonl"), lines: 4 }]);
  });

  it("writes the same bytes, however often it is killed and continues from its last checkpoint", () => {
    const root = temporaryFolder();
    fc.assert(
      fc.property(steps, (run) => {
        const whole = jsonlWriter(mkdtempSync(join(root, "whole-")));
        let dir = mkdtempSync(join(root, "cut-"));
        let cut = jsonlWriter(dir);
        for (const { record, isKilledAfter, lost } of run) {
          whole.write(record);
          cut.write(record);
          if (!isKilledAfter) continue;
          const checkpoint = cut.checkpoint();
          for (const word of lost) cut.write(word);
          cut.close();
          const next = mkdtempSync(join(root, "cut-"));
          for (const { name, bytes } of checkpoint.files) copyPrefix(join(dir, name), join(next, name), bytes, next);
          [dir, cut] = [next, jsonlWriter(next)];
          cut.restore(checkpoint);
        }
        whole.close();
        cut.close();
        expect(cut.files()).toEqual(whole.files());
        for (const { name, bytes, crc32 } of cut.files())
          expect(describeFile(dir, name)).toEqual({ name, bytes, crc32 });
      }),
    );
  });

  it("keeps the order of records that are put in place and of those that are encoded", () => {
    const dir = temporaryFolder();
    const writer = jsonlWriter(dir);
    // Long stretches of either kind, and single ones between them: more of each than is left to the other way after a miss.
    const kinds = [...Array(40).keys()].flatMap((i) => Array.from({ length: (i * 37) % 301 }, () => i % 2 === 0));
    const written = kinds.map((isPlain, idx) => (isPlain ? { idx, value: idx / 4 } : { idx, text: "größe" }));
    for (const record of written) writer.write(record);
    writer.close();
    const lines = readFileSync(join(dir, "records.jsonl"), "utf8");
    expect(lines).toBe(written.map((record) => `${JSON.stringify(record)}\n`).join(""));
    expect(writer.files()).toEqual([{ ...describeFile(dir, "records.jsonl"), lines: written.length }]);
  });

  it("writes a record whole that is far longer than what is gathered", () => {
    const dir = temporaryFolder();
    const writer = textWriter(dir, "text");
    writer.write("日".repeat(200_000));
    writer.close();
    expect(writer.files()).toEqual([{ ...describeFile(dir, "text"), lines: 1 }]);
    expect(writer.files()[0]!.bytes).toBe(600_001);
  });

  it("names in a checkpoint exactly what is in the file", () => {
    const dir = temporaryFolder();
    const writer = textWriter(dir, "text");
    writer.write("größe");
    expect(writer.checkpoint().files).toEqual([describeFile(dir, "text")]);
  });

  it("touches no file before the first record", () => {
    const dir = temporaryFolder();
    const writer = jsonlWriter(dir);
    expect(writer.checkpoint()).toEqual({ files: [] });
    writer.close();
    expect(writer.files()).toEqual([]);
    expect(readdirSync(dir)).toEqual([]);
  });

  it("continues from a checkpoint that was saved before the first record", () => {
    const dir = temporaryFolder();
    const writer = textWriter(dir, "text");
    writer.restore({ files: [] });
    writer.write("a");
    writer.close();
    expect(readFileSync(join(dir, "text"), "utf8")).toBe("a\n");
  });

  it("does nothing when it is closed a second time", () => {
    const dir = temporaryFolder();
    const writer = textWriter(dir, "text");
    writer.write("a");
    writer.close();
    writer.close();
    expect(writer.files()).toEqual([{ ...describeFile(dir, "text"), lines: 1 }]);
  });

  it("makes the folders in its name", () => {
    const dir = temporaryFolder();
    const writer = textWriter(dir, "a/b/text");
    writer.write("x");
    writer.close();
    expect(readFileSync(join(dir, "a", "b", "text"), "utf8")).toBe("x\n");
  });

  it("says which file it cannot write", () => {
    const dir = temporaryFolder();
    mkdirSync(join(dir, "text"));
    const writer = textWriter(dir, "text");
    writer.write("x");
    expect(() => writer.close()).toThrow(join(dir, "text"));
  });

  it.each(["", ".", "..", "../x", "a/../../x", "/etc/x", "done", "./done", "a/../done", ".checkpoint.0", "a\0b"])(
    "refuses the name %j",
    (name) => {
      expect(() => textWriter("/tmp", name)).toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
    },
  );

  it.each(["done/x", "a/", "state.json", "failures.jsonl"])("refuses the name %j", (name) => {
    expect(() => textWriter("/tmp", name)).toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
  });

  it("keeps what it wrote when a record comes after close", () => {
    const dir = temporaryFolder();
    const writer = textWriter(dir, "text");
    writer.write("a");
    writer.close();
    try {
      writer.write("b");
      writer.close();
    } catch {
      // To refuse the record would be right as well.
    }
    expect(readFileSync(join(dir, "text"), "utf8")).toMatch(/^a\n/);
  });
});

describe("a JSONL writer", () => {
  const circular: Record<string, unknown> = {};
  circular["self"] = circular;

  it.each<[string, unknown, RegExp]>([
    ["a record that holds itself", circular, /result\.self is result again/],
    ["a BigInt", { n: 1n }, /result\.n is the bigint 1/],
    ["undefined", undefined, /result is undefined/],
    ["a function", () => 1, /result is a function/],
  ])("refuses %s before anything of it is written", (_name, record, message) => {
    const dir = temporaryFolder();
    const writer = jsonlWriter(dir);
    writer.write(1);
    expect(() => writer.write(record)).toThrow(message);
    expect(() => writer.write(record)).toThrow(expect.objectContaining({ code: "BAD_RECORD" }));
    writer.write(2);
    writer.close();
    expect(readFileSync(join(dir, "records.jsonl"), "utf8")).toBe("1\n2\n");
    expect(writer.files()[0]!.lines).toBe(2);
  });

  it("creates no file for a record that it refuses", () => {
    const dir = temporaryFolder();
    const writer = jsonlWriter(dir);
    expect(() => writer.write(undefined)).toThrow();
    writer.close();
    expect(existsSync(join(dir, "records.jsonl"))).toBe(false);
  });
});

describe("a text writer", () => {
  it.each<[string, unknown]>([
    ["a line feed", "a\nb"],
    ["a carriage return", "a\r"],
    ["a number", 5],
    ["nothing", undefined],
  ])("refuses %s", (_name, line) => {
    const writer = textWriter(temporaryFolder(), "text");
    expect(() => writer.write(line as string)).toThrow(expect.objectContaining({ code: "BAD_RECORD" }));
  });

  it("keeps blanks, tabs and separators that are no line breaks", () => {
    const dir = temporaryFolder();
    const writer = textWriter(dir, "text");
    writer.write(" utt-1\tä\u2028b ");
    writer.close();
    expect(readFileSync(join(dir, "text"), "utf8")).toBe(" utt-1\tä\u2028b \n");
  });
});
