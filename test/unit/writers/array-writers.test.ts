import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type NdArray, ndArray } from "../../../src/formats/nd-array.ts";
import { openNpz } from "../../../src/formats/npy/open-npz.ts";
import { readNpy } from "../../../src/formats/npy/read-npy.ts";
import { readScp } from "../../../src/formats/read-scp.ts";
import type { ArrayRecord } from "../../../src/writers/array-record.ts";
import { keyedWriter } from "../../../src/writers/keyed-writer.ts";
import { npyScpWriter } from "../../../src/writers/npy-scp-writer.ts";
import { npyWriter } from "../../../src/writers/npy-writer.ts";
import { npzWriter } from "../../../src/writers/npz-writer.ts";
import { ptScpWriter } from "../../../src/writers/pt-scp-writer.ts";
import { textWriter } from "../../../src/writers/text-writer.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { compareInterrupted, leaveUnused, type WriterCase } from "../../support/writers/interrupt-writer.ts";

const vector = (i: number) => ndArray("float32", Float32Array.of(i, i / 3, -i));
const record = (i: number): ArrayRecord => ({ id: `utt-${i}`, array: vector(i) });

const cases: Readonly<Record<string, WriterCase>> = {
  npyScpWriter: { open: (dir) => npyScpWriter(dir, { name: "a/feats" }), record },
  ptScpWriter: { open: (dir) => ptScpWriter(dir, { name: "vectors" }), record },
  npzWriter: { open: (dir) => npzWriter(dir, { name: "vectors" }), record },
  "npzWriter, compressed": { open: (dir) => npzWriter(dir, { name: "b/vectors", compress: true }), record },
  npyWriter: { open: (dir) => npyWriter(dir, { name: "rows" }), record: vector },
  "keyedWriter of npyScpWriters": {
    open: (dir) => keyedWriter((key) => npyScpWriter(dir, { name: key })),
    record: (i) => [`key${i % 3}`, record(i)],
  },
  "keyedWriter of textWriters": {
    open: (dir) => keyedWriter((key) => textWriter(dir, `${key}_shape`)),
    record: (i) => [`key${i % 3}`, `utt-${i} 3`],
  },
};

describe.each(Object.entries(cases))("%s", (_name, writerCase) => {
  it("writes the same bytes, however often it is interrupted and continues from its last checkpoint", async () => {
    await compareInterrupted(writerCase, temporaryFolder(), 25);
  });

  it("touches no file before the first record, and may be closed twice", async () => {
    await leaveUnused(writerCase, temporaryFolder());
  });
});

const hostile = [
  "../../etc/passwd",
  "/abs",
  "a/b",
  "..",
  ".",
  "nul",
  "con.wav",
  "ü".repeat(150),
  "日本語😀",
  "a=2fb",
  "A",
  "a",
];

describe("npyScpWriter", () => {
  it("keeps any id in the list and its array within the folder", () => {
    const dir = temporaryFolder();
    const writer = npyScpWriter(join(dir, "shard"), { name: "feats" });
    for (const [i, id] of hostile.entries()) writer.write({ id, array: vector(i) });
    writer.close();
    const list = readScp(join(dir, "shard", "feats.scp"));
    expect([...list.keys()]).toEqual(hostile);
    expect([...list.values()].map((path) => readNpy(path).data[0])).toEqual(hostile.map((_, i) => i));
    expect(readdirSync(join(dir, "shard", "data_feats"))).toHaveLength(hostile.length);
    expect(readdirSync(dir)).toEqual(["shard"]);
  });

  it("refuses an id that came before, in this attempt or the one it continues from", () => {
    const dir = temporaryFolder();
    const writer = npyScpWriter(dir, { name: "feats" });
    writer.write({ id: "a", array: vector(1) });
    expect(() => writer.write({ id: "a", array: vector(2) })).toThrow(/"a" came twice/);
    const next = npyScpWriter(dir, { name: "feats" });
    next.restore(writer.checkpoint());
    expect(() => next.write({ id: "a", array: vector(2) })).toThrow(expect.objectContaining({ code: "BAD_RECORD" }));
    next.close();
    expect(readNpy(join(dir, "data_feats", "a.npy"))).toEqual(vector(1));
  });

  it.each(["", "a b", "a\nb", "a\u00a0b", "\ud800", "a\0"])("refuses %j, which a list cannot hold", (id) => {
    const dir = temporaryFolder();
    const writer = npyScpWriter(dir, { name: "feats" });
    expect(() => writer.write({ id, array: vector(1) })).toThrow(expect.objectContaining({ code: "BAD_RECORD" }));
    writer.close();
    expect(existsSync(join(dir, "feats.scp"))).toBe(false);
  });

  it("refuses names that lead out of the shard's folder", () => {
    expect(() => npyScpWriter("/tmp", { name: "../feats" })).toThrow(expect.objectContaining({ code: "BAD_OPTION" }));
  });
});

describe("npzWriter", () => {
  it("keeps any id in the index and its array in the archive", () => {
    const dir = temporaryFolder();
    const ids = [...hostile, "a b", "", "\ud800"];
    const writer = npzWriter(dir, { name: "all" });
    for (const [i, id] of ids.entries()) writer.write({ id, array: vector(i) });
    writer.close();
    const index = readFileSync(join(dir, "all.index.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(index.map(({ id }) => id)).toEqual(ids);
    const npz = openNpz(join(dir, "all.npz"));
    expect(index.map(({ array }) => npz.get(array).data[0])).toEqual(ids.map((_, i) => i));
    npz.close();
    expect(index.find(({ id }) => id === "日本語😀").array).toBe("日本語😀");
  });
});

describe("npyWriter", () => {
  it("makes rows of the arrays, and refuses one of another shape before it is written", () => {
    const dir = temporaryFolder();
    const writer = npyWriter(dir, { name: "rows" });
    writer.write(vector(1));
    expect(() => writer.write(ndArray("float32", new Float32Array(2)))).toThrow(
      expect.objectContaining({ code: "BAD_RECORD" }),
    );
    writer.write(vector(2));
    writer.close();
    const rows: NdArray = readNpy(join(dir, "rows.npy"));
    expect(rows.shape).toEqual([2, 3]);
    expect([...(rows.data as Float32Array)]).toEqual([...vector(1).data, ...vector(2).data]);
  });
});
