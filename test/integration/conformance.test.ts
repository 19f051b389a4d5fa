import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import {
  type ItemIndex,
  type ParallelInput,
  type RunnerOptions,
  type RunOptions,
  range,
  readFailures,
  runStatus,
} from "millrace";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import * as trial from "../fixtures/runners/conformance.ts";
import { startSlurm, whyNotSlurm } from "../support/clusters/slurm.ts";
import type { SlurmCluster } from "../support/clusters/slurm-cluster.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Launcher {
  readonly name: string;
  readonly parallel: ParallelInput;
  /** How many workers it starts where there is enough to do. */
  readonly workers: number;
}

const all: readonly Launcher[] = [
  { name: "local", parallel: { env: "local" }, workers: 1 },
  { name: "process, one worker", parallel: { env: "process", n_workers: 1 }, workers: 1 },
  { name: "process, two workers", parallel: { env: "process", n_workers: 2 }, workers: 2 },
  { name: "process, three workers", parallel: { env: "process", n_workers: 3 }, workers: 3 },
  { name: "thread, two workers", parallel: { env: "thread", n_workers: 2 }, workers: 2 },
  { name: "local_gpu, two workers", parallel: { env: "local_gpu", n_workers: 2 }, workers: 2 },
  // On one node: process ids distinguish the workers.
  { name: "slurm, two workers", parallel: { env: "slurm", n_workers: 2, options: { poll_interval: 1 } }, workers: 2 },
];
const noSlurm = whyNotSlurm();
const launchers = all.filter(({ parallel }) => parallel.env !== "slurm" || noSlurm === undefined);
const [local] = launchers as [Launcher];

const count = 60;
const shards = 7;
const items = range(count);
const quiet = { progress: false } as const;

const places: string[] = [];
let cluster: SlurmCluster | undefined;
beforeAll(async () => {
  fakeNvidiaSmi();
  if (noSlurm !== undefined) return;
  cluster = await startSlurm({ nodes: 1 });
  process.env["SLURM_CONF"] = cluster.environment["SLURM_CONF"];
});
afterEach(() => void vi.unstubAllEnvs());
afterAll(async () => {
  await cluster?.stop();
  for (const place of places) rmSync(place, { recursive: true, force: true });
});

if (noSlurm !== undefined) it.skip(`slurm (skipped: ${noSlurm})`, () => {});

describe.each(launchers.map((launcher) => [launcher.name, launcher] as const))("%s", (_name, launcher) => {
  const { workers } = launcher;
  const elsewhere = launchers[(launchers.indexOf(launcher) + 1) % launchers.length]!;

  describe("a run", () => {
    let folder: string;
    let outputDir: string;
    let records: unknown[];
    let localDir: string;
    const dropAt = [0, 7, 8, 59];
    const startAgain = () => newRun({ folder, nWorkers: workers, dropAt }, launcher, { outputDir, mergeFiles: true });

    beforeAll(async () => {
      [folder, outputDir, localDir] = [newPlace(), newPlace(), newPlace()];
      await newRun({ folder: newPlace(), dropAt }, local, { outputDir: localDir, mergeFiles: true }).run(items);
      records = await startAgain().run(items);
    });

    it("returns the records in item order", () => {
      const expected = [...items].filter((item) => !dropAt.includes(item));
      expect(records.map((record) => (record as { item: number }).item)).toEqual(expected);
    });

    it("writes the bytes that local writes, shard by shard and merged", () => {
      expect(shardBytes(outputDir)).toEqual(shardBytes(localDir));
      expect(shardBytes(outputDir)).toHaveLength(shards);
      expect(readFileSync(join(outputDir, "records.jsonl"))).toEqual(readFileSync(join(localDir, "records.jsonl")));
      expect(readFileSync(join(outputDir, "records.jsonl"))).toEqual(Buffer.concat(shardBytes(outputDir)));
    });

    it("counts what it dropped", async () => {
      expect((await runStatus(outputDir)).items).toEqual({
        total: count,
        done: count,
        written: count - dropAt.length,
        dropped: dropAt.length,
        failed: 0,
      });
    });

    it("builds one env in each worker, and tears each down", () => {
      const built = trial.readNotes(folder, "built");
      expect(new Set(built).size).toBe(workers);
      expect(built).toHaveLength(workers);
      expect(trial.readNotes(folder, "torn-down").sort()).toEqual(built.sort());
    });

    it("runs each item once", () => {
      expect(numbers(trial.readNotes(folder, "tried"))).toEqual([...items]);
    });

    it("leaves nothing of its machinery", () => {
      expect(machinery(outputDir)).toEqual({ leases: [], attempts: [], workers: [] });
    });

    it("starts no worker when it is complete", async () => {
      const built = trial.readNotes(folder, "built");
      expect(await startAgain().run(items)).toEqual(records);
      expect(trial.readNotes(folder, "built")).toEqual(built);
    });
  });

  it("starts no more workers than there are shards", async () => {
    const folder = temporaryFolder();
    await newRun({ folder, nWorkers: 1 }, launcher, { shards: 1 }).run(range(5));
    expect(trial.readNotes(folder, "built")).toHaveLength(1);
  });

  it("needs no outputDir and leaves no temporary folder", async () => {
    const [folder, ownTemporary] = [temporaryFolder(), temporaryFolder()];
    vi.stubEnv("TMPDIR", ownTemporary);
    expect(await newRun({ folder }, launcher).run(items)).toHaveLength(count);
    expect(readdirSync(ownTemporary)).toEqual([]);
  });

  describe("an item that fails", () => {
    it.each([
      ["the same launcher", launcher],
      [elsewhere.name, elsewhere],
    ])("stops the run, which says why and, once that is fixed, continues with %s", async (_name, next) => {
      const [folder, outputDir] = [temporaryFolder(), temporaryFolder()];
      const config = { folder, failAt: [23] };
      await expect(newRun(config, launcher, { outputDir }).run(items)).rejects.toMatchObject({
        name: "MillraceError",
        code: "ITEM_FAILED",
        item: 23,
        message: expect.stringContaining("TrialRunner.forward failed at item 23: cannot do 23"),
        hint: expect.stringContaining('onError: "skip"'),
        cause: expect.objectContaining({ message: "cannot do 23" }),
      });
      expect(machinery(outputDir)).toMatchObject({ leases: [], workers: [] });
      const before = committed(outputDir);
      trial.note(folder, "fixed", "");
      rmSync(join(folder, "tried"));
      await newRun(config, next, { outputDir }).run(items);
      expect(Buffer.concat(shardBytes(outputDir))).toEqual(await localBytes());
      const again = numbers(trial.readNotes(folder, "tried"));
      expect(again).toContain(23);
      expect(before.filter((item) => again.includes(item))).toEqual([]);
    });

    it("is tried again, then skipped and written down, and retryFailed puts it into its place", async () => {
      const [folder, outputDir] = [temporaryFolder(), temporaryFolder()];
      const failAt = [3, 23, 24];
      const config = { folder, failAt, flakyAt: [5, 40] };
      const start = () => newRun(config, launcher, { outputDir, onError: "skip", retries: 1 });
      const records = await start().run(items);
      expect(records.map(({ item }) => item)).toEqual([...items].filter((item) => !failAt.includes(item)));
      expect([...readFailures(outputDir)]).toMatchObject(
        failAt.map((item) => ({ item, error: { message: `cannot do ${item}` }, tries: 2, attempt: 1 })),
      );
      expect(existsSync(join(outputDir, "split.0", "failures.jsonl"))).toBe(true);
      trial.note(folder, "fixed", "");
      rmSync(join(folder, "tried"));
      expect(await start().retryFailed()).toHaveLength(count);
      expect(numbers(trial.readNotes(folder, "tried"))).toEqual(failAt);
      expect([...readFailures(outputDir)]).toEqual([]);
      expect(Buffer.concat(shardBytes(outputDir))).toEqual(await localBytes());
      expect(machinery(outputDir)).toEqual({ leases: [], attempts: [], workers: [] });
    });

    it("counts against maxFailures, whichever worker it failed in", async () => {
      const config = { folder: temporaryFolder(), nWorkers: Math.min(workers, 3), failAt: [1, 21, 41] };
      const options = { onError: "skip", maxFailures: 2, shards: 3, outputDir: temporaryFolder() } as const;
      await expect(newRun(config, launcher, options).run(items)).rejects.toMatchObject({ code: "TOO_MANY_FAILURES" });
    });
  });

  it("waits for a forward that answers later", async () => {
    const outputDir = temporaryFolder();
    const provider = new trial.TrialProvider({ folder: temporaryFolder() });
    await new trial.LateRunner(provider, options(launcher, { outputDir })).run(items);
    expect(Buffer.concat(shardBytes(outputDir))).toEqual(await localBytes());
  });

  it.each([2, 7, 64])(
    "writes the bytes that local writes with %i calls open, and runs each item once",
    async (concurrency) => {
      const [folder, outputDir] = [temporaryFolder(), temporaryFolder()];
      const provider = new trial.TrialProvider({ folder, nWorkers: workers });
      await new trial.LateRunner(provider, options(launcher, { outputDir, concurrency })).run(items);
      expect(Buffer.concat(shardBytes(outputDir))).toEqual(await localBytes());
      expect(numbers(trial.readNotes(folder, "tried"))).toEqual([...items]);
      expect(machinery(outputDir)).toEqual({ leases: [], attempts: [], workers: [] });
    },
  );

  it.each<[string, RunnerOptions<ItemIndex>]>([
    ["batchSize", { batchSize: 4 }],
    ["batchBy", { batchBy: { cost: "sum", max: 8 } }],
  ])("cuts the batches of %s as local does", async (_name, batches) => {
    const run = (place: Launcher) => {
      const provider = new trial.TrialProvider({ folder: temporaryFolder() });
      return new trial.BatchRunner(provider, { ...runOptions(place), ...batches }).run(items);
    };
    const records = await run(launcher);
    expect(records).toEqual(await run(local));
    expect(records.map(({ item }) => item)).toEqual([...items]);
    expect(Math.max(...records.map(({ batch }) => batch.length))).toBeGreaterThan(1);
  });

  it("calls the runner's own hooks, and merge with the states and the shards in order", async () => {
    const outputDir = temporaryFolder();
    const provider = new trial.TrialProvider({ folder: temporaryFolder() });
    const runner = new trial.SumRunner(provider, options(launcher, { outputDir, shards: 12 }));
    expect(await runner.run(items)).toEqual({
      folders: [...range(12)].map((id) => join(outputDir, `split.${id}`)),
      sum: (count * (count - 1)) / 2,
      histogram: [count / 3, count / 3, count / 3],
    });
    const words = shardBytes(outputDir, "words.txt").join("");
    expect(words).toBe([...items].map((item) => `word ${item}\n`).join(""));
  });

  it("asks the runner's own isShardDone, and runs again what it refuses", async () => {
    const [folder, outputDir] = [temporaryFolder(), temporaryFolder()];
    const start = () =>
      new trial.PickyRunner(new trial.TrialProvider({ folder }), options(launcher, { outputDir })).run(items);
    await start();
    trial.note(folder, "edition", "second");
    trial.note(outputDir, "stale", '{"item":12,"edition":"first"');
    rmSync(join(folder, "tried"));
    const records = await start();
    const again = [...range(9, 18)];
    expect(numbers(trial.readNotes(folder, "tried"))).toEqual(again);
    expect(records.filter(({ edition }) => edition === "second").map(({ item }) => item)).toEqual(again);
    expect(records).toHaveLength(count);
  });

  it("stops when its signal is aborted, and continues from there", async () => {
    const [folder, outputDir] = [temporaryFolder(), temporaryFolder()];
    const many = range(20_000);
    const stop = new AbortController();
    const start = (signal?: AbortSignal) =>
      new trial.SlowRunner(new trial.TrialProvider({ folder }), options(launcher, { outputDir, signal })).run(many);
    const running = start(stop.signal);
    const stopped = expect(running).rejects.toMatchObject({ code: "RUN_STOPPED" });
    await expect.poll(() => existsSync(join(folder, "begun"))).toBe(true);
    stop.abort();
    await stopped;
    expect(machinery(outputDir)).toMatchObject({ leases: [], workers: [] });
    expect(trial.readNotes(folder, "torn-down").sort()).toEqual(trial.readNotes(folder, "built").sort());
    trial.note(folder, "fixed", "");
    expect(await start()).toEqual([...many]);
    expect(machinery(outputDir)).toEqual({ leases: [], attempts: [], workers: [] });
  });
});

function runOptions({ parallel }: Launcher): RunOptions {
  return { ...quiet, shards, parallel };
}

function options(launcher: Launcher, more: RunnerOptions = {}): RunnerOptions {
  return { ...runOptions(launcher), ...more };
}

function newRun(config: trial.TrialConfig, launcher: Launcher, more?: RunnerOptions): trial.TrialRunner {
  return new trial.TrialRunner(new trial.TrialProvider(config), options(launcher, more));
}

/** What a run of all items writes that nothing disturbs. */
async function localBytes(): Promise<Buffer> {
  const outputDir = temporaryFolder();
  await newRun({ folder: temporaryFolder() }, local, { outputDir }).run(items);
  return Buffer.concat(shardBytes(outputDir));
}

function shardBytes(outputDir: string, name = "records.jsonl"): Buffer[] {
  return shardIds(outputDir).map((id) => readFileSync(join(outputDir, `split.${id}`, name)));
}

function shardIds(outputDir: string): number[] {
  return numbers(readdirSync(outputDir).flatMap((name) => /^split\.(\d+)$/.exec(name)?.[1] ?? []));
}

/** The items whose records are committed. */
function committed(outputDir: string): number[] {
  const lines = shardBytes(outputDir).flatMap((bytes) => bytes.toString().trim().split("\n"));
  return lines.map((line) => (JSON.parse(line) as { item: number }).item);
}

function machinery(outputDir: string): Record<string, string[]> {
  const folders = ["leases", "attempts", "workers"];
  return Object.fromEntries(folders.map((name) => [name, readdirSync(join(outputDir, ".millrace", name))]));
}

function numbers(lines: readonly string[]): number[] {
  return lines.map(Number).sort((a, b) => a - b);
}

/** A folder for longer than one test. */
function newPlace(): string {
  const place = mkdtempSync(join(tmpdir(), "millrace-test-"));
  places.push(place);
  return place;
}

/** A fake of the program that lists GPUs: it says that there are two. */
function fakeNvidiaSmi(): void {
  const folder = newPlace();
  const program = join(folder, "nvidia-smi");
  writeFileSync(program, "#!/bin/sh\necho 0\necho 1\n");
  chmodSync(program, 0o755);
  process.env["PATH"] = `${folder}${delimiter}${process.env["PATH"]}`;
  delete process.env["CUDA_VISIBLE_DEVICES"];
}
