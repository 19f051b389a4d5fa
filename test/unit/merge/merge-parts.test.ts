import { appendFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openScp } from "../../../src/formats/kaldi/open-scp.ts";
import { readJsonl } from "../../../src/formats/lines/jsonl-file.ts";
import { ndArray } from "../../../src/formats/nd-array.ts";
import { readParquet } from "../../../src/formats/parquet/read-parquet.ts";
import { readScp } from "../../../src/formats/read-scp.ts";
import { mergeLineFiles } from "../../../src/merge/merge-lines.ts";
import { mergeParquet } from "../../../src/merge/merge-parquet.ts";
import { mergeSafetensors } from "../../../src/merge/merge-safetensors.ts";
import { mergeScp } from "../../../src/merge/merge-scp.ts";
import { mergeTsv } from "../../../src/merge/merge-tsv.ts";
import { mergeWebDataset } from "../../../src/merge/merge-web-dataset.ts";
import { removeCheckpointFiles } from "../../../src/run-folder/shard/checkpoint.ts";
import { listFiles, writeDone } from "../../../src/run-folder/shard/done.ts";
import { arkScpWriter } from "../../../src/writers/ark-scp-writer.ts";
import { jsonlWriter } from "../../../src/writers/jsonl-writer.ts";
import { parquetWriter } from "../../../src/writers/parquet-writer.ts";
import { safetensorsWriter } from "../../../src/writers/safetensors-writer.ts";
import { tsvWriter } from "../../../src/writers/tsv-writer.ts";
import { webDatasetWriter } from "../../../src/writers/web-dataset-writer.ts";
import type { Writer } from "../../../src/writers/writer.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Commits a shard for each list of records. */
async function commit<Record>(
  root: string,
  shards: readonly (readonly Record[])[],
  open: (dir: string) => Writer<Record>,
): Promise<string[]> {
  const dirs: string[] = [];
  for (const [shard, records] of shards.entries()) {
    const dir = join(root, `split.${shard}`);
    mkdirSync(dir, { recursive: true });
    const writer = open(dir);
    for (const record of records) await writer.write(record);
    await writer.close();
    removeCheckpointFiles(dir);
    const files = listFiles(dir, new Map((writer.files?.() ?? []).map((file) => [file.name, file])));
    const counts = { items: records.length, written: records.length, dropped: 0, failed: 0 };
    writeDone(dir, { version: 1, shard, attempt: 1, worker: "w", counts, files });
    dirs.push(dir);
  }
  return dirs;
}

const array = (n: number) => ndArray("float32", Float32Array.of(n));
const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));

describe("mergeScp", () => {
  it("points into the archives of the shards, from wherever the list is put", async () => {
    const root = temporaryFolder();
    const shards = [["a", "b"], [], ["c"]].map((ids) => ids.map((id) => ({ id, array: array(id.charCodeAt(0)) })));
    const dirs = await commit(root, shards, (dir) => arkScpWriter(dir, { name: "dump/feats" }));
    for (const target of [undefined, join(root, "lists", "all", "feats.scp")]) {
      mergeScp(dirs, "dump/feats", { target });
      const table = openScp(target ?? join(root, "dump", "feats.scp"));
      expect([...table].map(([key, value]) => [key, value.data[0]])).toEqual([
        ["a", 97],
        ["b", 98],
        ["c", 99],
      ]);
      table.close();
    }
    expect(readFileSync(join(root, "dump", "feats.scp"), "utf8")).toMatch(/^a \.\.\/split\.0\/dump\/feats\.ark:2\n/);
  });

  it("has paths from another folder where one is given", async () => {
    const recipe = temporaryFolder();
    const dirs = await commit(join(recipe, "exp"), [[{ id: "a", array: array(7) }]], (dir) =>
      arkScpWriter(dir, { name: "feats" }),
    );
    mergeScp(dirs, "feats", { relativeTo: recipe });
    const list = join(recipe, "exp", "feats.scp");
    expect(readFileSync(list, "utf8")).toBe("a exp/split.0/feats.ark:2\n");
    expect(readScp(list, { baseDir: recipe }).get("a")).toBe(join(recipe, "exp", "split.0", "feats.ark:2"));
  });
});

describe("mergeScp of a list of any kind", () => {
  it("moves relative paths only, and keeps blanks, line ends and lines without a path", async () => {
    const root = temporaryFolder();
    const list = "a x.npy\nb\t \ty z.npy\r\nc /tmp/z.npy\nd cat z |\n\nalone\ne ü.ark:12[0:1]";
    const dirs = await commit(root, [[list]], (dir) => ({
      write: (text: string) => writeFileSync(join(dir, "list.scp"), text),
      close: () => undefined,
    }));
    mergeScp(dirs, "list");
    expect(readFileSync(join(root, "list.scp"), "utf8")).toBe(
      "a split.0/x.npy\nb\t \tsplit.0/y z.npy\r\nc /tmp/z.npy\nd cat z |\n\nalone\ne split.0/ü.ark:12[0:1]",
    );
  });
});

describe("mergeSafetensors", () => {
  const open = (dir: string) => safetensorsWriter(dir, { name: "all" });

  it("keeps the order of ids that an object would not", async () => {
    const root = temporaryFolder();
    const shards = [
      ["b", "7"],
      ["__proto__", "1"],
    ].map((ids) => ids.map((id) => ({ id, array: array(1) })));
    expect(mergeSafetensors(await commit(root, shards, open), "all")).toBe(4);
    const text = readFileSync(join(root, "all.safetensors.index.json"), "utf8");
    expect([...text.matchAll(/"(\w+)": "(split[^"]+)"/g)].map(([, id, file]) => [id, file])).toEqual([
      ["b", "split.0/all.safetensors"],
      ["7", "split.0/all.safetensors"],
      ["__proto__", "split.1/all.safetensors"],
      ["1", "split.1/all.safetensors"],
    ]);
  });

  it("refuses an id that two shards have, naming both", async () => {
    const root = temporaryFolder();
    const dirs = await commit(root, [[{ id: "a", array: array(1) }], [{ id: "a", array: array(2) }]], open);
    expect(() => mergeSafetensors(dirs, "all")).toThrow(/"a" is in .*split\.0.* and in .*split\.1/);
  });
});

describe("mergeWebDataset", () => {
  const open = (dir: string) => webDatasetWriter(dir, { name: "train" });
  const shards = [[{ __key__: "a", txt: "1" }], [{ __key__: "b", txt: "2" }]];

  it("puts the index where it is asked for, with paths from there", async () => {
    const root = temporaryFolder();
    const dirs = await commit(root, shards, open);
    const bytes = 2 * 2048;
    expect(mergeWebDataset(dirs, "train", { folder: join(root, "x", "y") })).toEqual({ parts: 2, rows: 2, bytes });
    expect(json(join(root, "x", "y", "train.index.json")).shardlist[1]).toEqual({
      url: "../../split.1/train-000000.tar",
      nsamples: 1,
      filesize: 2048,
    });
  });

  it("names a list whose bytes are not those that were committed", async () => {
    const root = temporaryFolder();
    const dirs = await commit(root, shards, open);
    const path = join(dirs[1]!, "train.samples.jsonl");
    writeFileSync(path, readFileSync(path, "utf8").replace('"b"', '"x"'));
    expect(() => mergeWebDataset(dirs, "train")).toThrow(path);
  });

  it("names an archive that has become shorter", async () => {
    const root = temporaryFolder();
    const dirs = await commit(root, shards, open);
    truncateSync(join(dirs[0]!, "train-000000.tar"), 512);
    expect(() => mergeWebDataset(dirs, "train")).toThrow(/train-000000\.tar has 512 bytes/);
  });

  it("says so where no shard has anything of that name", async () => {
    const dirs = await commit(temporaryFolder(), shards, open);
    expect(() => mergeWebDataset(dirs, "test")).toThrow(expect.objectContaining({ code: "MERGE_FAILED" }));
  });
});

describe("mergeParquet", () => {
  it("passes over shards without rows, and lists ten shards in item order in the card", async () => {
    const root = temporaryFolder();
    const columns = [{ name: "n", type: "int32" }] as const;
    const shards = Array.from({ length: 11 }, (_, n) => (n === 4 ? [] : [{ n }]));
    const dirs = await commit(root, shards, (dir) => parquetWriter(dir, { name: "train", columns }));
    const { parts, rows } = mergeParquet(dirs, "train", { card: { title: "Numbers" }, split: "test" });
    expect([parts, rows]).toEqual([10, 10]);
    const paths = [0, 1, 2, 3, 5, 6, 7, 8, 9, 10].map((n) => `split.${n}/train.parquet`);
    expect(json(join(root, "train.index.json")).parts.map(({ path }: { path: string }) => path)).toEqual(paths);
    const [, front] = readFileSync(join(root, "README.md"), "utf8").split("---\n") as [string, string];
    expect([...front.matchAll(/split\.\d+\/train\.parquet/g)].map(([path]) => path)).toEqual(paths);
    expect(front).toContain("split: test");
  });

  it("writes one file with the rows of all shards in item order, and its card", async () => {
    const root = temporaryFolder();
    const columns = [{ name: "n", type: "int64" }] as const;
    const shards = Array.from({ length: 11 }, (_, n) => (n === 4 ? [] : [{ n: BigInt(n) }]));
    const dirs = await commit(root, shards, (dir) => parquetWriter(dir, { name: "train", columns }));
    const counts = await mergeParquet(dirs, "train", { single: true, card: { title: "Numbers" } });
    expect(counts).toMatchObject({ parts: 1, rows: 10 });
    const merged = readFileSync(join(root, "train.parquet"));
    expect(counts.bytes).toBe(merged.length);
    const rows: unknown[] = [];
    for await (const row of readParquet(merged)) rows.push(row);
    expect(rows).toEqual(shards.flat());
    expect(readFileSync(join(root, "README.md"), "utf8")).toContain("path: train.parquet");
  });
});

describe("mergeTsv", () => {
  it("puts one header above the rows of all shards, and describes the file", async () => {
    const root = temporaryFolder();
    const columns = ["utt", "text"] as const;
    const shards = [[{ utt: "a", text: "x" }], [{ utt: "b", text: "y" }]];
    const dirs = await commit(root, shards, (dir) => tsvWriter(dir, { name: "m", columns }));
    const file = mergeTsv(dirs, "m", { columns });
    expect(readFileSync(join(root, "m.tsv"), "utf8")).toBe("utt\ttext\na\tx\nb\ty\n");
    expect(file).toMatchObject({ bytes: 17, lines: 2 });
    mergeTsv(dirs, "m", { target: join(root, "plain.tsv") });
    expect(readFileSync(join(root, "plain.tsv"), "utf8")).toBe("a\tx\nb\ty\n");
  });
});

describe("mergeFiles", () => {
  it("makes one file of compressed lines, and notices damage", async () => {
    const root = temporaryFolder();
    const dirs = await commit(root, [[{ n: 1 }], [{ n: 2 }]], (dir) => jsonlWriter(dir, "words.jsonl.gz"));
    mkdirSync(join(root, ".millrace"));
    mergeLineFiles(root, dirs);
    const found: unknown[] = [];
    for await (const record of readJsonl(join(root, "words.jsonl.gz"))) found.push(record);
    expect(found).toEqual([{ n: 1 }, { n: 2 }]);
    appendFileSync(join(dirs[0]!, "words.jsonl.gz"), "x");
    expect(() => mergeLineFiles(root, dirs)).toThrow(/words\.jsonl\.gz/);
  });
});
