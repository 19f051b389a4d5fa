import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { parquetBomb, repeatedColumns } from "../support/formats/hostile-parquet.ts";
import { deepPickle, orderedDictBomb, selfHoldingList } from "../support/formats/hostile-pickles.ts";
import { readInChild, runInChild } from "../support/formats/in-child.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const refused = (message: RegExp) => ({ code: "BAD_FILE", outcome: expect.stringMatching(message) });

describe("a pickle is over in time and memory that its size explains:", () => {
  it.each([
    ["copies of one long list", orderedDictBomb(330_000), /would become/],
    ["a list that holds itself before a million others", selfHoldingList(1_000_000), /without measure/],
    ["dicts packed a thousandfold", deepPickle("}", 40_000_000), /would become/],
    ["tuples packed a thousandfold", deepPickle(")", 40_000_000), /would become/],
  ])("%s", (_name, bytes, message) => {
    const child = readInChild("readPt(path)", bytes);
    expect(child).toMatchObject(refused(message));
    expect(child.seconds).toBeLessThan(15);
    expect(child.maxRssMb).toBeLessThan(500);
  });
});

describe("a pipe is refused, not waited for, by", () => {
  it.each([
    "readNpy(path)",
    "openNpz(path)",
    "readPt(path)",
    "drain(readArkFile(path))",
    "openScp(path)",
    "readScp(path)",
    "openSafetensors(path)",
    "drain(readWebDatasetFile(path))",
    "drain(readParquetFile(path))",
    "drain(readJsonl(path))",
    'readTsv(path, { columns: ["a"] })',
    "openFileSource(path)",
  ])("%s", (call) => {
    const path = join(temporaryFolder(), "pipe");
    execFileSync("mkfifo", [path]);
    expect(runInChild(call, path)).toMatchObject(refused(/it is a pipe, not a regular file/));
  });
});

describe("a Parquet file of a few hundred bytes is refused that", () => {
  it.each([
    ["packs pages of gigabytes with brotli", parquetBomb({ pages: 12, values: 1, valueBytes: 2 ** 27 }), /a group of/],
    ["packs four million empty values", parquetBomb({ pages: 1, values: 4e6, valueBytes: 0 }), /a group of/],
    ["repeats one value in a thousand columns", repeatedColumns(1000, 4_000_000), /a group of/],
  ])("%s", (_name, bytes, message) => {
    const child = readInChild("drain(readParquetFile(path))", bytes);
    expect(child).toMatchObject(refused(message));
    expect(child.outcome).toContain("raise maxOutputBytes");
    expect(child.maxRssMb).toBeLessThan(500);
  });

  it("is read again where the caller raises the limit", () => {
    const bytes = parquetBomb({ pages: 1, values: 1, valueBytes: 2 ** 26 });
    const child = readInChild("drain(readParquetFile(path, { maxOutputBytes: 2 ** 30 }))", bytes);
    expect(child.outcome).toBe("read 1");
  });
});

describe("what is honest is read, however well it is packed:", () => {
  it("a column of one value a million times in each group", () => {
    const child = readInChild("drain(readParquetFile(path))", repeatedColumns(1, 2 ** 20));
    expect(child.outcome).toBe("read 1048576");
  });

  it("lines that are packed 150 to 1, and together take more than any limit on one of them", () => {
    const lines = Buffer.from(`${JSON.stringify({ id: "utt", frames: Array(40).fill(0) })}\n`.repeat(1_000_000));
    const packed = gzipSync(lines);
    expect(lines.length / packed.length).toBeGreaterThan(150);
    expect(lines.length).toBeGreaterThan(64 * 2 ** 20);
    const child = readInChild("drain(readJsonl(path))", packed);
    expect(child.outcome).toBe("read 1000000");
    expect(child.maxRssMb).toBeLessThan(500);
  });
});

describe("a line of JSON", () => {
  it.each([
    ["nests without end", "[".repeat(15_000_000) + "]".repeat(15_000_000), /nested deeper/],
    ["is made of empty objects", `[${"{},".repeat(15_000_000)}{}]`, /would become/],
  ])("that %s is refused", (_name, text, message) => {
    const child = readInChild("drain(readJsonl(path))", gzipSync(`{"id":1}\n${text}\n`));
    expect(child).toMatchObject(refused(message));
    expect(child.maxRssMb).toBeLessThan(500);
  });
});
