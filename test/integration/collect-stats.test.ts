// Statistics of a generated corpus, beside NumPy, for any number of workers, batches and shards, and under kills.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { encodeNpy, ndArray, readNpy, readScp } from "millrace/formats";
import { readCmvnStats, writeGlobalCmvn } from "millrace/recipes";
import { globalCmvn } from "millrace/speech";
import { beforeAll, describe, expect, it } from "vitest";
import { pythonWith } from "../support/formats/python.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const driver = fileURLToPath(new URL("../fixtures/children/stats-driver.mjs", import.meta.url));
const check = fileURLToPath(new URL("../fixtures/formats/check-stats.py", import.meta.url));
const python = pythonWith("numpy");
const rounds = Number(process.env["MILLRACE_KILL_ROUNDS"] ?? 3);
const seed = Number(process.env["MILLRACE_SEED"] ?? Date.now() % 1_000_000);
const items = 120;

/** Files that must be the same however the run was carried out; lists of paths name the shards. */
const outputs = [
  "feats_stats.npz",
  "feats_lengths_stats.npz",
  "feats_shape",
  "feats_lengths_shape",
  "text_shape",
  "stats_keys",
  "feats_length_histogram.json",
  "feats_length_histogram.svg",
  "feats_stats.svg",
  "collect_stats.html",
];

interface Corpus {
  readonly columns: number;
  framesOf(index: number): { data: Float32Array; rows: number; columns: number };
}
let corpus: Corpus;

beforeAll(async () => {
  corpus = (await import("../fixtures/children/stats-corpus.mjs" as string)) as Corpus;
});

/** In the folder of the recipe, as ESPnet's stages are started. */
function start(dir: string, workers: number, batchSize: number, shards: number): ChildProcess {
  const args = [driver, ".", ...[workers, batchSize, shards].map(String)];
  return spawn(process.execPath, args, { cwd: dir, stdio: ["ignore", "ignore", "pipe"] });
}

async function finish(child: ChildProcess): Promise<void> {
  let stderr = "";
  child.stderr!.on("data", (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, "close");
  expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
}

function readOutputs(dir: string): Record<string, string> {
  return Object.fromEntries(outputs.map((name) => [name, readFileSync(join(dir, "train", name)).toString("base64")]));
}

/** The list of features, but for the shards' numbers: where a shard ends depends on the batch size of the first start. */
function listOf(dir: string): string {
  return readFileSync(join(dir, "train", "collect_feats", "feats.scp"), "utf8").replace(/split\.\d+/g, "split");
}

async function undisturbed(): Promise<string> {
  const dir = temporaryFolder();
  await finish(start(dir, 1, 4, 6));
  return dir;
}

describe("collected statistics", () => {
  it("have the same bytes for any number of workers, batch size and shard count", async () => {
    const expected = readOutputs(await undisturbed());
    for (const [workers, batchSize, shards] of [
      [2, 1, 120],
      [7, 3, 11],
      [2, 120, 1],
    ] as const) {
      const dir = temporaryFolder();
      await finish(start(dir, workers, batchSize, shards));
      expect(readOutputs(dir)).toEqual(expected);
    }
  });

  it(`have the same bytes after workers and drivers were killed at random (MILLRACE_SEED=${seed})`, {
    timeout: 300_000 * rounds,
  }, async () => {
    let state = seed;
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
    const reference = await undisturbed();
    const expected = readOutputs(reference);
    const list = listOf(reference);
    for (let round = 0; round < rounds; round++) {
      const dir = temporaryFolder();
      for (let kills = 0; kills < 3; kills++) {
        const running = start(dir, 1 + Math.floor(random() * 3), 1 + Math.floor(random() * 9), 6);
        await sleep(250 + random() * 500);
        if (random() < 0.7) killWorker(dir, random);
        await sleep(random() * 200);
        running.kill("SIGKILL");
        if (running.exitCode === null && running.signalCode === null) await once(running, "exit");
      }
      await finish(start(dir, 2, 4, 6));
      expect(readOutputs(dir)).toEqual(expected);
      expect(listOf(dir)).toBe(list);
    }
  });

  it.skipIf(python === undefined)(
    "equal NumPy's and are read as ESPnet reads them (skipped without NumPy)",
    async () => {
      const dir = await undisturbed();
      const all = Array.from({ length: items }, (_, i) => corpus.framesOf(i));
      const rows = all.reduce((sum, frames) => sum + frames.rows, 0);
      const data = new Float32Array(rows * corpus.columns);
      for (let i = 0, at = 0; i < items; at += all[i]!.data.length, i++) data.set(all[i]!.data, at);
      const path = join(dir, "corpus.npy");
      writeFileSync(path, encodeNpy(ndArray("float32", data, [rows, corpus.columns])));
      const { stdout, stderr } = spawnSync(python!, [check, "train", path], { cwd: dir, encoding: "utf8" });
      expect(stderr).toBe("");
      const found = JSON.parse(stdout) as Record<string, number>;
      expect(found).toMatchObject({
        names: ["count", "sum", "sum_square"],
        count: rows,
        dtypes: ["int64", "float64", "float64"],
        shapes: [[], [corpus.columns], [corpus.columns]],
        ids: ["utt-0", "utt-1", "utt-2"],
        isSame: true,
        lengths: { dtypes: ["int64"], shapes: [[1]], areThoseOfFeats: true },
      });
      for (const what of ["sum", "sumSquare", "mean"]) expect(found[what], what).toBeLessThan(1e-12);
      expect(found["exact"]).toBeLessThan(1e-14);
      expect(found["deviation"]).toBeLessThan(1e-10);
    },
  );

  it("leave lists whose paths are right from the recipe's folder, also where that was moved, and a CMVN file", async () => {
    const from = await undisturbed();
    const to = join(temporaryFolder(), "moved");
    renameSync(from, to);
    const list = readScp(join(to, "train", "collect_feats", "feats.scp"), { baseDir: to });
    expect([...list.keys()]).toEqual(Array.from({ length: items }, (_, i) => `utt-${i}`));
    const { data, rows, columns } = corpus.framesOf(7);
    expect(readNpy(list.get("utt-7")!)).toEqual(ndArray("float32", data, [rows, columns]));
    writeGlobalCmvn(join(to, "train", "feats_stats.npz"), join(to, "cmvn.npz"));
    const stats = readCmvnStats(join(to, "cmvn.npz"));
    const normalised = globalCmvn({ data, rows, columns }, stats);
    expect(Math.max(...normalised.data.map(Math.abs))).toBeLessThan(4);
  });

  it("leave in each shard the files that ESPnet3 leaves", async () => {
    const dir = await undisturbed();
    const shard = join(dir, "train", "split.0");
    const lines = (name: string) => readFileSync(join(shard, name), "utf8").split("\n").slice(0, -1);
    expect(lines("shape_keys.txt")).toEqual(["feats", "feats_lengths", "text"]);
    expect(lines("stats_keys.txt")).toEqual(["feats", "feats_lengths"]);
    expect(lines("feat_keys_written.txt")).toEqual(["feats", "feats_lengths"]);
    expect(lines("feats_shape")[0]).toBe(`utt-0 ${corpus.framesOf(0).rows},13`);
    expect(lines("text_shape").slice(0, 2)).toEqual(["utt-0 0", "utt-1 1"]);
    expect(readCmvnStats(join(shard, "feats_stats.npz")).count).toBe(
      lines("feats_shape").reduce((sum, line) => sum + Number(line.split(/[ ,]/)[1]), 0),
    );
  });
});

/** Kills one of the run's processes, as its file says who it is. */
function killWorker(dir: string, random: () => number): void {
  const folder = join(dir, "train", ".millrace", "workers");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  if (names.length === 0) return;
  try {
    const report = JSON.parse(readFileSync(join(folder, names[Math.floor(random() * names.length)]!), "utf8"));
    process.kill(report.pid, "SIGKILL");
  } catch {
    // It has ended, or its file is being written.
  }
}
