import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readLines, readRecords } from "../../../../src/run-folder/shard/read-records.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

// How much is read at once.
const chunkBytes = 1 << 17;

function fileOf(content: string | Uint8Array): string {
  const path = join(temporaryFolder(), "records.jsonl");
  writeFileSync(path, content);
  return path;
}

describe("readLines", () => {
  it.each<[string, string, string[]]>([
    ["an empty file", "", []],
    ["one line", "a\n", ["a"]],
    ["a last line without its end", "a\nb", ["a", "b"]],
    ["empty lines", "\n\na\n\n", ["", "", "a", ""]],
    ["other separators inside a line", "a\u2028b\u0085c\n", ["a\u2028b\u0085c"]],
  ])("reads %s", (_name, content, lines) => {
    expect([...readLines(fileOf(content))]).toEqual(lines);
  });

  it.each([-4, -3, -2, -1, 0, 1])(
    "reads characters of four bytes that begin %i bytes from the end of a chunk",
    (shift) => {
      const before = "x".repeat(chunkBytes + shift);
      expect([...readLines(fileOf(`${before}😀\nb😀`))]).toEqual([`${before}😀`, "b😀"]);
    },
  );

  it.each([-1, 0, 1])("reads a line that ends %i bytes from the end of a chunk", (shift) => {
    const line = "x".repeat(chunkBytes - 1 + shift);
    expect([...readLines(fileOf(`${line}\nnext\n`))]).toEqual([line, "next"]);
  });

  it("reads a line longer than many chunks", () => {
    const line = "ä".repeat(5 * chunkBytes);
    expect([...readLines(fileOf(`a\n${line}\nb\n`))]).toEqual(["a", line, "b"]);
  });

  it("refuses a line that is longer than allowed, before it is read whole", () => {
    const path = fileOf("a\n{");
    truncateSync(path, 2 ** 40);
    const lines = readLines(path, { maxLineBytes: 2 ** 20 });
    expect(lines.next().value).toBe("a");
    expect(() => lines.next()).toThrow(`${path} has a line of more than 1048576 bytes`);
  });

  it("may be left before the end", () => {
    for (const line of readLines(fileOf("a\nb\n"))) {
      expect(line).toBe("a");
      break;
    }
  });
});

describe("readRecords", () => {
  it("gives one record a line, in order", () => {
    const records = Array.from({ length: 50_000 }, (_, i) => ({ i, text: `größe ${i}` }));
    const path = fileOf(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    expect([...readRecords(path)]).toEqual(records);
  });

  it("names the file and the line that is not JSON", () => {
    const path = fileOf('{"a":1}\n{"a":2}\n{"a":');
    expect(() => [...readRecords(path)]).toThrow(expect.objectContaining({ code: "SHARD_DAMAGED" }));
    expect(() => [...readRecords(path)]).toThrow(`${path}, line 3, is not JSON`);
  });

  it("gives the records before a broken line first", () => {
    const records = readRecords(fileOf("1\n{\n"));
    expect(records.next().value).toBe(1);
    expect(() => records.next()).toThrow(/line 2/);
  });
});
