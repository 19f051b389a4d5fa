import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { crc32, crcText } from "../../../src/bytes/crc32.ts";
import { encodeArkEntry } from "../../../src/formats/kaldi/encode-ark-entry.ts";
import { openScp } from "../../../src/formats/kaldi/open-scp.ts";
import { hasZstd } from "../../../src/formats/lines/compression.ts";
import { readJsonl } from "../../../src/formats/lines/jsonl-file.ts";
import { readTsv } from "../../../src/formats/lines/tsv-file.ts";
import { ndArray } from "../../../src/formats/nd-array.ts";
import { readParquetFile, writeParquetFile } from "../../../src/formats/parquet/parquet-file.ts";
import { readPt } from "../../../src/formats/pt/read-pt.ts";
import { readScp } from "../../../src/formats/read-scp.ts";
import { openSafetensors, writeSafetensorsFile } from "../../../src/formats/safetensors/safetensors-file.ts";
import { readWebDatasetFile } from "../../../src/formats/tar/web-dataset-file.ts";
import { arkScpWriter } from "../../../src/writers/ark-scp-writer.ts";
import type { ArrayRecord } from "../../../src/writers/array-record.ts";
import { jsonlWriter } from "../../../src/writers/jsonl-writer.ts";
import { keyedWriter } from "../../../src/writers/keyed-writer.ts";
import { parquetWriter } from "../../../src/writers/parquet-writer.ts";
import { ptScpWriter } from "../../../src/writers/pt-scp-writer.ts";
import { safetensorsWriter } from "../../../src/writers/safetensors-writer.ts";
import { tsvWriter } from "../../../src/writers/tsv-writer.ts";
import { webDatasetWriter } from "../../../src/writers/web-dataset-writer.ts";
import { parquetColumns as columns } from "../../support/formats/parquet-columns.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import {
  compareInterrupted,
  filesBelow,
  leaveUnused,
  type WriterCase,
} from "../../support/writers/interrupt-writer.ts";

const vector = (i: number) => ndArray("float32", Float32Array.of(i, i / 3, -i));
const record = (i: number): ArrayRecord => ({ id: `utt-${i}`, array: vector(i) });
const row = (i: number) => ({
  utt: `utt${i}-ä日`,
  frames: -i,
  total: 2n ** 60n + BigInt(i),
  small: i / 4,
  score: i % 3 === 0 ? null : [Number.NaN, -0, Number.NEGATIVE_INFINITY, i / 7][i % 4],
  kept: i % 2 === 0,
  emb: i % 5 === 4 ? undefined : Float32Array.of(i, 0.5),
  words: Array.from({ length: i % 3 }, (_, j) => `w${j}`),
  audio: Buffer.alloc(i % 7, i),
});
const sample = (i: number) => ({ __key__: `spk/utt${i}`, wav: Buffer.alloc(600, i), json: { i }, txt: `größe ${i}` });
// Longer than what is put together before it is compressed, every now and then.
const word = (i: number) => ({ i, text: i % 4 === 3 ? "é".repeat(70_000) : "é" });

const cases: Readonly<Record<string, WriterCase>> = {
  arkScpWriter: { open: (dir) => arkScpWriter(dir, { name: "dump/feats" }), record },
  "arkScpWriter of text": { open: (dir) => arkScpWriter(dir, { name: "feats", text: true }), record },
  ptScpWriter: {
    open: (dir) => ptScpWriter(dir, { name: "vectors" }),
    record: (i) => ({ id: `u${i}`, array: { v: vector(i) } }),
  },
  safetensorsWriter: { open: (dir) => safetensorsWriter(dir, { name: "st/all", metadata: { format: "pt" } }), record },
  webDatasetWriter: { open: (dir) => webDatasetWriter(dir, { name: "wds/train" }), record: sample },
  "webDatasetWriter of many archives": {
    open: (dir) => webDatasetWriter(dir, { name: "train", maxSamples: 3, maxBytes: 9000 }),
    record: sample,
  },
  parquetWriter: { open: (dir) => parquetWriter(dir, { name: "data/train", columns, rowsPerGroup: 3 }), record: row },
  "jsonlWriter, gzip": { open: (dir) => jsonlWriter(dir, "a/words.jsonl.gz"), record: word },
  ...(hasZstd && { "jsonlWriter, zstd": { open: (dir) => jsonlWriter(dir, "words.jsonl.zst"), record: word } }),
  "keyedWriter of safetensorsWriters": {
    open: (dir) => keyedWriter((key) => safetensorsWriter(dir, { name: key })),
    record: (i) => [`key${i % 3}`, record(i)],
  },
};

describe.each(Object.entries(cases))("%s", (_name, writerCase) => {
  it("writes the same bytes, however often it is interrupted and continues from its last checkpoint", async () => {
    await compareInterrupted(writerCase, temporaryFolder(), 15);
  });

  it("touches no file before the first record, and may be closed twice", async () => {
    await leaveUnused(writerCase, temporaryFolder());
  });

  it("continues from a checkpoint that was saved before the first record", async () => {
    const [dir, other] = [temporaryFolder(), temporaryFolder()];
    const [writer, plain] = [writerCase.open(dir), writerCase.open(other)];
    await writer.restore(JSON.parse(JSON.stringify(await plain.checkpoint())));
    for (const one of [writer, plain]) {
      await one.write(writerCase.record(1) as never);
      await one.close();
    }
    expect(writer.files!()).toEqual(plain.files!());
    expect(writer.files!().length).toBeGreaterThan(0);
  });

  it("puts nothing together where the shard is left", async (context) => {
    const dir = temporaryFolder();
    const writer = writerCase.open(dir);
    if (writer.leave === undefined) return context.skip("its files grow as they are");
    await writer.write(writerCase.record(1) as never);
    const { files } = await writer.checkpoint();
    await writer.leave();
    await writer.close();
    expect(filesBelow(dir)).toEqual(files.map(({ name }) => name).sort());
  });
});

describe("arkScpWriter", () => {
  it("writes a list whose offsets are right, also behind a checkpoint", () => {
    const dir = temporaryFolder();
    const first = arkScpWriter(dir, { name: "feats" });
    first.write(record(0));
    const checkpoint = first.checkpoint();
    first.close();
    const writer = arkScpWriter(dir, { name: "feats" });
    writer.restore(checkpoint);
    for (const i of [1, 2]) writer.write(record(i));
    writer.close();
    const table = openScp(join(dir, "feats.scp"));
    expect([...table].map(([key]) => key)).toEqual(["utt-0", "utt-1", "utt-2"]);
    for (const i of [2, 0, 1]) expect(table.get(`utt-${i}`)).toEqual(vector(i));
    table.close();
  });

  it("writes the bytes of single entries one behind the other, whatever their keys and sizes", () => {
    const dir = temporaryFolder();
    const ids = ["utt", "ünï", "日本語😀", "é".repeat(300)];
    // Below, about and above what is put together before it is written.
    const sizes = [0, 1, 192, 16_000, 16_380, 16_384, 40_000];
    const entries = sizes.flatMap((size) => ids.map((id) => [`${id}-${size}`, size] as const));
    const writer = arkScpWriter(dir, { name: "feats" });
    const expected = entries.map(([id, size]) => {
      const array = ndArray("float32", new Float32Array(size).fill(size));
      writer.write({ id, array });
      return encodeArkEntry(id, array).bytes;
    });
    writer.close();
    expect(readFileSync(join(dir, "feats.ark")).equals(Buffer.concat(expected))).toBe(true);
    expect(writer.files().at(-1)?.crc32).toBe(crcText(crc32(Buffer.concat(expected))));
    const table = openScp(join(dir, "feats.scp"));
    for (const [id, size] of entries) expect(table.get(id).shape).toEqual([size]);
    table.close();
  });

  it("refuses an array that has no form in Kaldi before anything is written", () => {
    const dir = temporaryFolder();
    const writer = arkScpWriter(dir, { name: "feats" });
    const array = ndArray("int64", new BigInt64Array(2));
    expect(() => writer.write({ id: "a", array })).toThrow(expect.objectContaining({ code: "BAD_RECORD" }));
    writer.close();
    expect(filesBelow(dir)).toEqual([]);
  });
});

describe("ptScpWriter", () => {
  it("keeps any id in the list and its file within the folder", () => {
    const dir = temporaryFolder();
    const ids = ["../../x", "a/b", "nul", "日本語😀", "ü".repeat(150)];
    const writer = ptScpWriter(dir, { name: "vectors" });
    for (const [i, id] of ids.entries()) writer.write({ id, array: vector(i) });
    writer.close();
    const list = readScp(join(dir, "vectors.scp"));
    expect([...list.keys()]).toEqual(ids);
    expect([...list.values()].map((path) => readPt(path))).toEqual(ids.map((_, i) => vector(i)));
    expect(filesBelow(dir).filter((name) => !/^(data_vectors\/|vectors\.scp$)/.test(name))).toEqual([]);
  });
});

describe("safetensorsWriter", () => {
  it("writes the bytes that writeSafetensorsFile does", async () => {
    const dir = temporaryFolder();
    const writer = safetensorsWriter(dir, { name: "all" });
    const arrays = [vector(0), ndArray("int8", new Int8Array(3)), ndArray("float64", new Float64Array(0))];
    for (const [i, array] of arrays.entries()) writer.write({ id: `${i}`, array });
    writer.close();
    await writeSafetensorsFile(
      join(dir, "expected"),
      arrays.map((array, i) => [`${i}`, array] as const),
    );
    expect(readFileSync(join(dir, "all.safetensors"))).toEqual(readFileSync(join(dir, "expected")));
    const file = openSafetensors(join(dir, "all.safetensors"));
    expect(file.read("0")).toEqual(vector(0));
    file.close();
  });

  it("refuses an id that came before, in this attempt or the one it continues from", () => {
    const dir = temporaryFolder();
    const writer = safetensorsWriter(dir, { name: "all" });
    writer.write(record(1));
    expect(() => writer.write(record(1))).toThrow(/"utt-1" came twice/);
    const next = safetensorsWriter(dir, { name: "all" });
    next.restore(writer.checkpoint());
    expect(() => next.write(record(1))).toThrow(expect.objectContaining({ code: "BAD_RECORD" }));
    writer.leave();
    next.leave();
  });
});

describe("webDatasetWriter", () => {
  it("begins an archive where the last one is full, and says where each sample is", () => {
    const dir = temporaryFolder();
    const writer = webDatasetWriter(dir, { name: "wds/train", maxSamples: 2 });
    for (let i = 0; i < 5; i++) writer.write(sample(i));
    writer.close();
    const archives = ["train-000000.tar", "train-000001.tar", "train-000002.tar"];
    const read = archives.map((name) => [...readWebDatasetFile(join(dir, "wds", name), { decode: true })]);
    expect(read.map((samples) => samples.map(({ __key__: key }) => key))).toEqual([
      ["spk/utt0", "spk/utt1"],
      ["spk/utt2", "spk/utt3"],
      ["spk/utt4"],
    ]);
    const places = readFileSync(join(dir, "wds/train.samples.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    for (const [i, { key, part, offset, bytes }] of places.entries()) {
      const piece = readFileSync(join(dir, "wds", part)).subarray(offset, offset + bytes);
      expect(key).toBe(`spk/utt${i}`);
      expect(piece.toString("latin1", 0, 13)).toBe(`spk/utt${i}.json`);
    }
    expect(JSON.parse(readFileSync(join(dir, "wds/train.parts.json"), "utf8")).parts).toMatchObject(
      archives.map((path, i) => ({ path, rows: i === 2 ? 1 : 2 })),
    );
  });

  it("refuses a second sample of the key before it, which readers would take for the same", () => {
    const writer = webDatasetWriter(temporaryFolder(), { name: "train" });
    writer.write(sample(1));
    expect(() => writer.write(sample(1))).toThrow(expect.objectContaining({ code: "BAD_RECORD" }));
    writer.close();
  });

  it.each([{ maxSamples: 0 }, { maxBytes: -1 }])("refuses %j", (options) => {
    expect(() => webDatasetWriter("x", { name: "train", ...options })).toThrow(
      expect.objectContaining({ code: "BAD_OPTION" }),
    );
  });
});

describe("parquetWriter", () => {
  const all = async (path: string) => {
    const rows: unknown[] = [];
    for await (const one of readParquetFile(path)) rows.push(one);
    return rows;
  };

  it("writes the rows that writeParquetFile does, in its bytes", async () => {
    const dir = temporaryFolder();
    const options = { columns, rowsPerGroup: 4 };
    const writer = parquetWriter(dir, { name: "train", ...options });
    const rows = Array.from({ length: 11 }, (_, i) => row(i));
    for (const one of rows) writer.write(one);
    await writer.close();
    await writeParquetFile(join(dir, "expected"), rows, options);
    expect(await all(join(dir, "train.parquet"))).toEqual(await all(join(dir, "expected")));
    expect(readFileSync(join(dir, "train.parquet"))).toEqual(readFileSync(join(dir, "expected")));
  });

  it("takes values of any size", async () => {
    const dir = temporaryFolder();
    const writer = parquetWriter(dir, { name: "x", columns: [{ name: "b", type: "binary" }] });
    const sizes = [0, 4091, 4092, 70_000, 300_000];
    for (const size of sizes) writer.write({ b: Buffer.alloc(size, 7) });
    await writer.close();
    expect((await all(join(dir, "x.parquet"))).map((one) => (one as { b: Uint8Array }).b.length)).toEqual(sizes);
  });

  it("refuses a row by its number before anything of it is written", async () => {
    const dir = temporaryFolder();
    const writer = parquetWriter(dir, { name: "x", columns: [{ name: "n", type: "int32" }] });
    writer.write({ n: 1 });
    expect(() => writer.write({ n: 0.5 })).toThrow(/Row 1: the value of "n"/);
    writer.write({ n: 2 });
    await writer.close();
    expect(await all(join(dir, "x.parquet"))).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it("refuses columns that no file can have when it is opened", () => {
    expect(() => parquetWriter("x", { name: "x", columns: [] })).toThrow(
      expect.objectContaining({ code: "BAD_OPTION" }),
    );
  });
});

describe("jsonlWriter", () => {
  it("compresses as the name says, in pieces that are one file", async () => {
    const dir = temporaryFolder();
    const writer = jsonlWriter(dir, "words.jsonl.gz");
    const records = Array.from({ length: 9 }, (_, i) => word(i));
    for (const one of records) writer.write(one);
    writer.close();
    const text = records.map((one) => `${JSON.stringify(one)}\n`).join("");
    const path = join(dir, "words.jsonl.gz");
    expect(gunzipSync(readFileSync(path)).toString("utf8")).toBe(text);
    const read: unknown[] = [];
    for await (const one of readJsonl(path)) read.push(one);
    expect(read).toEqual(records);
    expect(writer.files()[0]!.lines).toBeUndefined();
  });

  it.skipIf(hasZstd)("says what to do where Node.js has no zstd (skipped where it has)", () => {
    expect(() => jsonlWriter("x", "words.jsonl.zst")).toThrow(/has no zstd/);
  });
});

describe("tsvWriter", () => {
  it("writes values between tabs and refuses what would be another column", () => {
    const dir = temporaryFolder();
    const manifest = ["utt", "text"] as const;
    const writer = tsvWriter(dir, { name: "manifest", columns: manifest });
    writer.write({ text: "größe a", utt: "u1" });
    expect(() => writer.write({ utt: "u2", text: "a\tb" })).toThrow(expect.objectContaining({ code: "BAD_RECORD" }));
    writer.close();
    expect(readTsv(join(dir, "manifest.tsv"), { columns: manifest })).toEqual([{ utt: "u1", text: "größe a" }]);
    expect(writer.files()[0]!.lines).toBe(1);
  });
});
