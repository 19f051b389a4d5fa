import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toByteSource } from "../../../../src/formats/byte-source.ts";
import { hasZstd } from "../../../../src/formats/lines/compression.ts";
import { encodeJsonLine, parseJsonl } from "../../../../src/formats/lines/json-lines.ts";
import { readJsonl, writeJsonl } from "../../../../src/formats/lines/jsonl-file.ts";
import { golden, goldenPath } from "../../../support/formats/format-files.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const noZstd = hasZstd ? undefined : "this Node.js has no zstd";
const expected = [...parseJsonl(toByteSource(golden("jsonl/records.jsonl")))];

async function all(records: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const record of records) found.push(record);
  return found;
}

describe("parseJsonl", () => {
  const parse = (text: string | Uint8Array, maxLineBytes = 1000) => [
    ...parseJsonl(toByteSource(Buffer.from(text), "x.jsonl"), { maxLineBytes }),
  ];

  it("returns what encodeJsonLine has written, however the bytes are cut into chunks", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (records) => {
        const text = records.map(encodeJsonLine).join("");
        expect(JSON.stringify(parse(text, 1e6))).toBe(JSON.stringify(records));
      }),
    );
  });

  it("takes a byte order mark, the ends of lines of Windows, empty lines and no end of the last line", () => {
    expect(parse('\ufeff{"a":1}\r\n\n  \n[2]\n"é"')).toEqual([{ a: 1 }, [2], "é"]);
  });

  it("names line and offset of what is not JSON, and of what is not UTF-8", () => {
    expect(() => parse('{"ä":1}\nnope\n')).toThrowError("x.jsonl, offset 9: line 2 is not JSON");
    expect(() => parse(Buffer.from([0x31, 0x0a, 0x22, 0xff, 0x22]))).toThrowError(
      "x.jsonl, offset 2: line 2 is not UTF-8",
    );
  });

  it("refuses a line that is too long, also one that never ends", () => {
    const long = `1\n"${"x".repeat(2000)}"`;
    expect(() => parse(`${long}\n`)).toThrowError("x.jsonl, offset 2: line 2 is longer than 1000 bytes");
    expect(() => parse(long)).toThrowError("x.jsonl, offset 2: line 2 is longer than 1000 bytes");
  });

  it("reads lines across the ends of its chunks", () => {
    const records = Array.from({ length: 3000 }, (_, i) => "ü".repeat(i % 97));
    expect(parse(records.map(encodeJsonLine).join(""))).toEqual(records);
  });
});

describe("encodeJsonLine", () => {
  it("refuses what has no JSON form", () => {
    expect(() => encodeJsonLine(undefined)).toThrowError("record is undefined");
    expect(() => encodeJsonLine(1n)).toThrowError(expect.objectContaining({ code: "BAD_RECORD" }));
  });
});

describe("readJsonl", () => {
  it("reads plain and gzipped files, also those of several members", async () => {
    expect(expected.length).toBe(20);
    expect(await all(readJsonl(goldenPath("jsonl/records.jsonl")))).toEqual(expected);
    expect(await all(readJsonl(goldenPath("jsonl/records.jsonl.gz")))).toEqual(expected);
  });

  it("goes by the first bytes and not by the name", async () => {
    const path = join(temporaryFolder(), "records.jsonl");
    writeFileSync(path, golden("jsonl/records.jsonl.gz"));
    expect(await all(readJsonl(path))).toEqual(expected);
  });

  it("reads zstd where Node.js has it", async (context) => {
    if (noZstd !== undefined) context.skip(noZstd);
    expect(await all(readJsonl(goldenPath("jsonl/records.jsonl.zst")))).toEqual(expected);
  });

  it("says what to do where Node.js has no zstd", async (context) => {
    if (hasZstd) context.skip("this Node.js has zstd");
    await expect(all(readJsonl(goldenPath("jsonl/records.jsonl.zst")))).rejects.toMatchObject({
      code: "BAD_OPTION",
      hint: expect.stringContaining("22.15"),
    });
  });

  it("refuses gzip that is cut off or damaged", async () => {
    const path = join(temporaryFolder(), "x.jsonl.gz");
    const whole = gzipSync('{"a":1}\n'.repeat(1000));
    writeFileSync(path, whole.subarray(0, -6));
    await expect(all(readJsonl(path))).rejects.toMatchObject({
      code: "BAD_FILE",
      message: expect.stringMatching(/x\.jsonl\.gz, offset \d+: cannot be read on as gzip/),
    });
    writeFileSync(path, whole.with(whole.length - 6, whole.at(-6)! ^ 1));
    await expect(all(readJsonl(path))).rejects.toMatchObject({ code: "BAD_FILE" });
  });

  it("stops at the limit of a line, whatever the file would become", async () => {
    const path = join(temporaryFolder(), "bomb.jsonl.gz");
    writeFileSync(path, gzipSync(Buffer.alloc(1 << 26, "x")));
    await expect(all(readJsonl(path, { maxLineBytes: 1 << 20 }))).rejects.toThrowError(
      "line 1 is longer than 1048576 bytes",
    );
  });

  it("names a file that is missing, and can be left before the end", async () => {
    await expect(all(readJsonl("/nowhere/x.jsonl"))).rejects.toThrowError("/nowhere/x.jsonl cannot be read: ENOENT");
    for await (const record of readJsonl(goldenPath("jsonl/records.jsonl.gz"))) {
      expect(record).toEqual({ id: 0, text: "" });
      break;
    }
  });
});

describe("writeJsonl", () => {
  it("writes plain and gzipped files, the same bytes every time", async () => {
    const folder = temporaryFolder();
    expect(await writeJsonl(join(folder, "deep", "a.jsonl"), expected)).toBe(20);
    expect(readFileSync(join(folder, "deep", "a.jsonl"), "utf8")).toBe(expected.map(encodeJsonLine).join(""));
    await writeJsonl(join(folder, "a.jsonl.gz"), expected);
    await writeJsonl(join(folder, "b.jsonl.gz"), expected);
    const bytes = readFileSync(join(folder, "a.jsonl.gz"));
    expect(bytes.equals(readFileSync(join(folder, "b.jsonl.gz")))).toBe(true);
    expect(gunzipSync(bytes).equals(readFileSync(join(folder, "deep", "a.jsonl")))).toBe(true);
  });

  it("writes zstd that the zstd program reads, where Node.js has it", async (context) => {
    if (noZstd !== undefined) context.skip(noZstd);
    if (spawnSync("zstd", ["--version"]).status !== 0) context.skip("zstd is missing");
    const path = join(temporaryFolder(), "a.jsonl.zst");
    await writeJsonl(path, expected);
    expect(spawnSync("zstd", ["-dqc", path], { encoding: "utf8" }).stdout).toBe(expected.map(encodeJsonLine).join(""));
  });

  it("refuses zstd where Node.js has none, and records without a JSON form", async () => {
    const folder = temporaryFolder();
    if (!hasZstd) await expect(writeJsonl(join(folder, "a.zst"), [])).rejects.toMatchObject({ code: "BAD_OPTION" });
    await expect(writeJsonl(join(folder, "a.jsonl"), [1n])).rejects.toMatchObject({ code: "BAD_RECORD" });
    await expect(writeJsonl(folder, [1])).rejects.toMatchObject({ code: "WRITER_FAILED" });
  });
});
