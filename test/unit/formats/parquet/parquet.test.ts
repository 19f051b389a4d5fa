import { readdirSync } from "node:fs";
import { join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import fc from "fast-check";
import * as arrowParquet from "parquet-wasm";
import { describe, expect, it } from "vitest";
import { toByteSource } from "../../../../src/formats/byte-source.ts";
import { hasZstd } from "../../../../src/formats/lines/compression.ts";
import { encodeParquet } from "../../../../src/formats/parquet/encode-parquet.ts";
import type { ParquetColumn } from "../../../../src/formats/parquet/parquet-column.ts";
import { readParquetFile, writeParquetFile } from "../../../../src/formats/parquet/parquet-file.ts";
import { type ReadParquetOptions, readParquet } from "../../../../src/formats/parquet/read-parquet.ts";
import { golden, goldenPath } from "../../../support/formats/format-files.ts";
import { parquetColumns as columns } from "../../../support/formats/parquet-columns.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

type Row = Record<string, unknown>;

async function all(rows: AsyncIterable<Row>): Promise<Row[]> {
  const found: Row[] = [];
  for await (const row of rows) found.push(row);
  return found;
}

const read = (bytes: Uint8Array, options: ReadParquetOptions = {}) =>
  all(readParquet(toByteSource(bytes, "x.parquet"), options));

const rowsOf = fc.array(
  fc.record({
    utt: fc.string({ unit: "grapheme" }).filter((text) => !/\p{Surrogate}/u.test(text)),
    frames: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    total: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    small: fc.float(),
    score: fc.option(fc.double()),
    kept: fc.boolean(),
    emb: fc.option(fc.array(fc.float(), { maxLength: 5 })),
    words: fc.array(fc.string({ maxLength: 4 }), { maxLength: 3 }),
    audio: fc.uint8Array({ maxLength: 20 }),
  }),
  { maxLength: 12 },
);

describe("readParquet", () => {
  const codecs = ["plain", "snappy", "gzip", ...(hasZstd ? ["zstd"] : [])];
  it.each(codecs)("reads the golden file %s, which Arrow wrote", async (name) => {
    const rows = await all(readParquetFile(goldenPath(`parquet/${name}.parquet`)));
    const expected = Array.from({ length: 12 }, (_, i) => ({
      utt: `utt${i % 3}-ä`,
      frames: i,
      total: 2n ** 40n * BigInt(i),
      score: i % 4 === 3 ? null : i / 3,
      kept: i % 2 === 0,
      emb: i === 5 ? null : Array.from({ length: i % 4 }, (_value, j) => j + 0.5),
      audio: new Uint8Array(i).fill(255),
    }));
    expect(rows).toEqual(expected);
  });

  it("says what to do where Node.js has no zstd", async (context) => {
    if (hasZstd) context.skip("this Node.js has zstd");
    await expect(read(golden("parquet/zstd.parquet"))).rejects.toThrowError(/is compressed with ZSTD[\s\S]*22\.15/);
  });

  it("reads only the columns that are wanted", async () => {
    expect((await read(golden("parquet/snappy.parquet"), { columns: ["frames"] }))[3]).toEqual({ frames: 3 });
  });

  it("refuses every cut of a file", async () => {
    const bytes = golden("parquet/snappy.parquet");
    for (let length = 0; length < bytes.length; length += 61) {
      await expect(read(bytes.subarray(0, length))).rejects.toMatchObject({
        code: "BAD_FILE",
        message: expect.stringMatching(/^x\.parquet, offset \d+: /),
      });
    }
  });

  it("refuses a file that is something else", async () => {
    await expect(read(Buffer.from("a,b,c\n1,2,3\nand more"))).rejects.toThrowError("a Parquet file begins with PAR1");
  });

  it("refuses a group that is larger than it may be", async () => {
    await expect(read(golden("parquet/snappy.parquet"), { maxGroupRows: 4 })).rejects.toThrowError("maxGroupRows (4)");
  });

  it("refuses a footer whose list promises more than there is", async () => {
    const footer = Buffer.from([0x15, 0x02, 0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07]);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(footer.length);
    const file = Buffer.concat([Buffer.from("PAR1"), footer, length, Buffer.from("PAR1")]);
    await expect(read(file)).rejects.toThrowError("x.parquet, offset 13: a list cannot have 2147483647 elements here");
  });
});

describe("encodeParquet", () => {
  it("gives a file that is read back as what was written", async () => {
    await fc.assert(
      fc.asyncProperty(rowsOf, fc.integer({ min: 1, max: 5 }), async (rows, rowsPerGroup) => {
        expect(await read(await encodeParquet(rows, { columns, rowsPerGroup }))).toEqual(rows);
      }),
    );
  });

  it("gives a file that Arrow reads", async () => {
    await fc.assert(
      fc.asyncProperty(rowsOf, async (rows) => {
        fc.pre(rows.length > 0);
        const bytes = await encodeParquet(rows, { columns, rowsPerGroup: 4 });
        const table = tableFromIPC(arrowParquet.readParquet(bytes).intoIPCStream());
        const plain = (value: unknown): unknown =>
          typeof value === "object" && value !== null && "toArray" in value
            ? [...(value as unknown as Iterable<unknown>)]
            : value;
        const back = table.toArray().map((row: { toJSON(): Row }) => {
          return Object.fromEntries(Object.entries(row.toJSON()).map(([name, value]) => [name, plain(value)]));
        });
        expect(back).toEqual(rows);
      }),
      { numRuns: 50 },
    );
  });

  it("takes typed arrays for lists and numbers for int64", async () => {
    const wanted: ParquetColumn[] = [
      { name: "v", type: "list<float32>" },
      { name: "n", type: "int64" },
    ];
    const bytes = await encodeParquet([{ v: Float32Array.of(1, 0.1), n: 5 }], { columns: wanted });
    expect(await read(bytes)).toEqual([{ v: [1, Math.fround(0.1)], n: 5n }]);
  });

  it("writes a file without rows that can be read", async () => {
    expect(await read(await encodeParquet([], { columns }))).toEqual([]);
  });

  it("ends a group when its values are large", async () => {
    const rows = Array.from({ length: 6 }, (_, i) => ({ b: new Uint8Array(1000).fill(i) }));
    const options = { columns: [{ name: "b", type: "binary" }] as const, bytesPerGroup: 2000 };
    const bytes = await encodeParquet(rows, options);
    expect(arrowParquet.readSchema(bytes)).toBeDefined();
    expect(await read(bytes, { maxGroupRows: 2 })).toEqual(rows);
  });

  it.each<[string, ParquetColumn, unknown]>([
    ["a missing value", { name: "a", type: "string" }, undefined],
    ["a number for a text", { name: "a", type: "string" }, 1],
    ["half a character", { name: "a", type: "string" }, "\ud800"],
    ["a fraction for an integer", { name: "a", type: "int32" }, 0.5],
    ["an integer beyond 32 bits", { name: "a", type: "int32" }, 2 ** 31],
    ["an integer beyond 64 bits", { name: "a", type: "int64" }, 2n ** 63n],
    ["a number that is no whole one", { name: "a", type: "int64" }, 2 ** 60],
    ["a text for bytes", { name: "a", type: "binary" }, "x"],
    ["a number for a truth value", { name: "a", type: "bool" }, 1],
    ["one value for a list", { name: "a", type: "list<float32>" }, 1],
    ["a null in a list", { name: "a", type: "list<float32>", nullable: true }, [1, null]],
  ])("refuses %s, naming row and column", async (_, column, value) => {
    await expect(encodeParquet([{ a: value }], { columns: [column] })).rejects.toMatchObject({
      code: "BAD_RECORD",
      message: expect.stringMatching(/^Row 0: the value of "a"(\[1\])? /),
    });
  });

  it("refuses columns that cannot be", async () => {
    const refused = expect.objectContaining({ code: "BAD_OPTION" });
    const wrong = [
      [],
      [{ name: "", type: "bool" }],
      [{ name: "a", type: "text" }],
      [columns[0], columns[0]],
    ] as ParquetColumn[][];
    for (const list of wrong) await expect(encodeParquet([], { columns: list })).rejects.toEqual(refused);
  });
});

describe("writeParquetFile", () => {
  it("writes a part and counts it, and leaves nothing behind when a row is refused", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "part-0.parquet");
    async function* rows(): AsyncGenerator<Row> {
      for (let i = 0; i < 2500; i++) yield { i };
    }
    const options = { columns: [{ name: "i", type: "int32" }] as const, rowsPerGroup: 1000 };
    const part = await writeParquetFile(path, rows(), options);
    expect(part.rows).toBe(2500);
    expect(await all(readParquetFile(path))).toEqual(Array.from({ length: 2500 }, (_, i) => ({ i })));
    await expect(writeParquetFile(join(folder, "b.parquet"), [{ i: "x" }], options)).rejects.toMatchObject({
      code: "BAD_RECORD",
    });
    expect(readdirSync(folder)).toEqual(["part-0.parquet"]);
  });
});
