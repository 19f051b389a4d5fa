// One run with every writer at once: killed in the middle and elsewhere, it ends with the bytes of an undisturbed one, and
// what was merged is found again after the output folder was moved.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BaseRunner, EnvironmentProvider, range } from "millrace";
import {
  type NdArray,
  openNpz,
  openSafetensors,
  openScp,
  type ParquetShardWriter,
  parquetWriter,
  readJsonl,
  readNpy,
  readParquetFile,
  readPt,
  readScp,
  readTar,
  readTsv,
} from "millrace/formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askPython, pythonWith } from "../support/formats/python.ts";
import { filesBelow } from "../support/writers/interrupt-writer.ts";

type Writers = Record<string, unknown>;

const script = fileURLToPath(new URL("../fixtures/children/all-formats.mjs", import.meta.url));
const items = Array.from({ length: 120 }, (_, i) => i).filter((i) => i % 11 !== 7);
const ids = items.map((i) => `spk${i % 3}/utt-${i}`);
const numbersOf = (i: number) => [...Float32Array.of(i, i / 3, -i)];
const all = items.map(numbersOf);

const tensorOf = (path: string) => (readPt(path) as ReadonlyMap<string, NdArray<"float32">>).get("vector")!;

const root = mkdtempSync(join(tmpdir(), "millrace-test-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** How a run in a folder ended, and what it printed. */
async function run(dir: string, env: string, marks?: string): Promise<{ end: unknown; text: string }> {
  const { MARKS: _, ...environment } = process.env;
  const child = spawn(process.execPath, [script, dir, env], {
    env: { ...environment, ...(marks !== undefined && { MARKS: marks }) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk) => (text += chunk));
  const [code, signal] = await once(child, "close");
  return { end: signal ?? code, text };
}

/** Runs until it has ended; says which shards killed their worker, and which items ran. */
async function runKilled(dir: string, env: string): Promise<{ killed: number[]; calls: number[]; text: string }> {
  const marks = mkdtempSync(join(root, "marks-"));
  for (;;) {
    const { end, text } = await run(dir, env, marks);
    if (end === 0) {
      const killed = readdirSync(marks).filter((name) => name !== "calls");
      const calls = readFileSync(join(marks, "calls"), "utf8").trim().split("\n");
      return { killed: killed.map(Number), calls: calls.map(Number), text };
    }
    expect(end).toBe("SIGKILL");
  }
}

/** Every output file by its name; `done` says who wrote it and when, the rest is the run's own machinery. */
function outputsOf(dir: string): Map<string, Buffer> {
  const names = filesBelow(dir).filter((name) => !/^\.millrace|^manifest\.json$|^split\.\d+\/done$/.test(name));
  return new Map(names.map((name) => [name, readFileSync(join(dir, name))]));
}

const whole = join(root, "whole");
let expected: Map<string, Buffer>;
let result: unknown;

beforeAll(async () => {
  const { end, text } = await run(whole, "local");
  expect(end).toBe(0);
  expected = outputsOf(whole);
  result = JSON.parse(text);
}, 300_000);

describe("a run with every writer", () => {
  it("counts what it merged", () => {
    const parts = { parts: 4, rows: items.length, bytes: expect.any(Number) };
    expect(result).toEqual({
      rows: items.length,
      arrays: items.length,
      tensors: items.length,
      samples: { ...parts, parts: 12 },
      table: parts,
    });
    expect([...expected.keys()].filter((name) => name.includes(".checkpoint"))).toEqual([]);
  });

  it.each(["local", "process"])(
    "killed with env %s, ends with the bytes of an undisturbed one",
    {
      timeout: 300_000,
    },
    async (env) => {
      const dir = mkdtempSync(join(root, `${env}-`));
      const { killed, calls, text } = await runKilled(dir, env);
      expect(killed.length).toBeGreaterThan(0);
      // It continues from the checkpoint: the first item of a shard runs once.
      for (const shard of killed) expect(calls.filter((item) => item === 30 * shard)).toEqual([30 * shard]);
      const found = outputsOf(dir);
      expect([...found.keys()]).toEqual([...expected.keys()]);
      for (const [name, bytes] of expected) expect(found.get(name)!.equals(bytes), name).toBe(true);
      expect(JSON.parse(text)).toEqual(result);
    },
  );
});

class RowsProvider extends EnvironmentProvider<{ failAt: number }, { failAt: number }> {
  buildEnvLocal() {
    return { failAt: this.config.failAt };
  }
}

const called: number[] = [];

class RowsRunner extends BaseRunner<{ failAt: number }, number> {
  static forward(idx: number, { failAt }: { failAt: number }) {
    called.push(idx);
    if (idx === failAt) throw new Error("cannot");
    return idx;
  }

  static override openWriters(dir: string) {
    return { rows: parquetWriter(dir, { name: "rows", columns: [{ name: "n", type: "int32" }] }) };
  }

  static override writeRecord({ rows }: Writers, n: number) {
    return (rows as ParquetShardWriter).write({ n });
  }
}

describe("a shard of Parquet that fails", () => {
  it("is left without its file being made, and continues at the item that failed", async () => {
    const outputDir = mkdtempSync(join(root, "failed-"));
    const start = (failAt: number) =>
      new RowsRunner(new RowsProvider({ failAt }), { outputDir, progress: false, shards: 1, acceptChange: true });
    await expect(start(6).run(range(10))).rejects.toThrow("item 6");
    const left = filesBelow(outputDir).map((name) => name.split("/").at(-1));
    expect(left).toContain(".checkpoint.rows.parquet.rows");
    expect(left).not.toContain("rows.parquet");
    called.length = 0;
    await start(-1).run(range(10));
    expect(called).toEqual([6, 7, 8, 9]);
    const rows: unknown[] = [];
    for await (const row of readParquetFile(join(outputDir, "split.0", "rows.parquet"))) rows.push(row);
    expect(rows).toEqual(Array.from({ length: 10 }, (_, n) => ({ n })));
  });
});

describe("the output folder, moved elsewhere", () => {
  let dir: string;
  const json = (name: string) => JSON.parse(readFileSync(join(dir, name), "utf8"));

  beforeAll(() => {
    mkdirSync(join(root, "else", "where"), { recursive: true });
    dir = join(root, "else", "where", "moved");
    renameSync(whole, dir);
    expect(existsSync(whole)).toBe(false);
  });

  it.each(["dump/ark.scp", "text.scp"])("finds every array of Kaldi's archives by its id in %s", (name) => {
    const table = openScp(join(dir, name));
    expect(table.entries.map(({ key }) => key)).toEqual(ids);
    expect(ids.map((id) => [...table.get(id).data])).toEqual(all);
    table.close();
  });

  it("finds every npy and pt file by its id", () => {
    const [files, tensors] = [readScp(join(dir, "files.scp")), readScp(join(dir, "pt.scp"))];
    expect([...files.keys()]).toEqual(ids);
    expect([...tensors.keys()]).toEqual(ids);
    expect([...files.values()].map((path) => [...(readNpy(path).data as Float32Array)])).toEqual(all);
    expect([...tensors.values()].map((path) => [...tensorOf(path).data])).toEqual(all);
  });

  it("has all arrays in one npy and one npz file", () => {
    expect([...(readNpy(join(dir, "rows.npy")).data as Float32Array)]).toEqual(all.flat());
    const npz = openNpz(join(dir, "vectors.npz"));
    expect(npz.names).toEqual(ids);
    npz.close();
  });

  it("finds every tensor by the index", () => {
    const { metadata, weight_map: map } = json("tensors.safetensors.index.json");
    expect(metadata.total_size).toBe(12 * ids.length);
    expect(Object.keys(map)).toEqual(ids);
    const found = ids.map((id) => {
      const file = openSafetensors(join(dir, map[id]));
      const { data } = file.read(id);
      file.close();
      return [...(data as Float32Array)];
    });
    expect(found).toEqual(all);
  });

  it("finds every archive and every sample of the WebDataset by its index", () => {
    const { shardlist, wids_version: version } = json("wds/train.index.json");
    expect(version).toBe(1);
    for (const { url, nsamples, filesize } of shardlist) {
      const bytes = readFileSync(join(dir, "wds", url));
      expect(bytes).toHaveLength(filesize);
      expect([...readTar(bytes)]).toHaveLength(3 * nsamples);
    }
    const places = readFileSync(join(dir, "wds/train.samples.jsonl"), "utf8").trim().split("\n");
    const keys = places.map((line) => {
      const { key, part, offset, bytes } = JSON.parse(line);
      const piece = readFileSync(join(dir, "wds", part)).subarray(offset, offset + bytes);
      // As a tar archive of its own.
      const names = [...readTar(Buffer.concat([piece, Buffer.alloc(1024)]))].map(({ name }) => name);
      expect(names).toEqual([`${key}.json`, `${key}.npy`, `${key}.txt`]);
      return key;
    });
    expect(keys).toEqual(ids);
  });

  it("finds every part of the table in item order by its index and its card", async () => {
    const { parts, rows, columns } = json("data/train.index.json");
    expect(rows).toBe(ids.length);
    expect(columns).toHaveLength(3);
    const found: unknown[] = [];
    for (const { path } of parts)
      for await (const row of readParquetFile<{ utt: string }>(join(dir, "data", path))) found.push(row.utt);
    expect(found).toEqual(ids);
    const card = readFileSync(join(dir, "README.md"), "utf8");
    expect([...card.matchAll(/split\.\d+\/data\/train\.parquet/g)].slice(0, 4).map(([path]) => path)).toEqual(
      [0, 1, 2, 3].map((i) => `split.${i}/data/train.parquet`),
    );
    expect(card).toContain(`num_examples: ${ids.length}`);
  });

  it("has the compressed lines and the manifest as one file each", async () => {
    const words: unknown[] = [];
    for await (const word of readJsonl(join(dir, "words.jsonl.gz"))) words.push(word);
    expect(words).toEqual(items.map((n, i) => ({ id: ids[i], n })));
    const rows = readTsv(join(dir, "manifest.tsv"), { columns: ["utt", "n"], header: true });
    expect(rows).toEqual(items.map((n, i) => ({ utt: ids[i], n: String(n) })));
  });

  const numpy = pythonWith("numpy");
  it.skipIf(numpy === undefined)("is read by Python, NumPy and tar (skipped where they are not installed)", () => {
    const list = [...readScp(join(dir, "files.scp")).values()];
    const archives = json("wds/train.index.json").shardlist as { url: string; nsamples: number }[];
    const questions = [
      ...list.map((path) => ({ kind: "npy", path })),
      { kind: "npy", path: join(dir, "rows.npy") },
      ...archives.map(({ url }) => ({ kind: "tar", path: join(dir, "wds", url) })),
      { kind: "gzip", path: join(dir, "words.jsonl.gz") },
      { kind: "ark", path: join(dir, "dump/ark.scp") },
    ];
    const answers = askPython(numpy!, questions);
    const hexOf = (numbers: number[]) => Buffer.from(Float32Array.from(numbers).buffer).toString("hex");
    const arrays = all.map((numbers) => ({ dtype: "float32", shape: [3], hex: hexOf(numbers) }));
    expect(answers.slice(0, ids.length)).toEqual(arrays);
    expect(answers[ids.length]).toEqual({ dtype: "float32", shape: [ids.length, 3], hex: hexOf(all.flat()) });
    expect((answers.slice(ids.length + 1, -2) as string[][]).map((names) => names.length)).toEqual(
      archives.map(({ nsamples }) => 3 * nsamples),
    );
    expect((answers.at(-2) as string).split("\n")).toHaveLength(ids.length + 1);
    expect(answers.at(-1)).toEqual(Object.fromEntries(ids.map((id, i) => [id, arrays[i]])));
  });

  const torch = pythonWith("torch");
  it.skipIf(torch === undefined)("is read by PyTorch (skipped where it is not installed)", () => {
    const paths = [...readScp(join(dir, "pt.scp")).values()];
    const answers = askPython(
      torch!,
      paths.map((path) => ({ kind: "pt", path, weights_only: true })),
    );
    const shapes = (answers as { dict: [string, { shape: number[] }][] }[]).map(({ dict: [first] }) => first);
    expect(shapes).toEqual(ids.map(() => ["vector", expect.objectContaining({ shape: [3] })]));
  });
});
