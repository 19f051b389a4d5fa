import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type FailureRecord, range, readFailures } from "millrace";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { DeadlyHooksProvider, DeadlyHooksRunner } from "../fixtures/runners/deadly-hooks.ts";
import { LeakingPlainRunner, LeakingProvider, LeakingRunner } from "../fixtures/runners/deadly-leaking.ts";
import { StuckProvider, StuckRunner, StuckWriterRunner } from "../fixtures/runners/deadly-stuck.ts";
import { WorkerReportProvider, WorkerReportRunner } from "../fixtures/runners/reports-its-worker.ts";
import { checkpointsOnly, leftovers, nothing } from "../support/leftovers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

beforeEach(() => {
  // What is said of workers that are replaced.
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
});

function workers(env: "process" | "thread", n_workers = 1) {
  // Where a test fails because workers are replaced for ever, it ends nevertheless.
  return { progress: false, parallel: { env, n_workers }, signal: AbortSignal.timeout(40_000) } as const;
}

function failures(outputDir: string): FailureRecord[] {
  return [...readFailures(outputDir)];
}

/** Which items were begun, and by which process. */
function readLog(log: string): { items: number[]; pids: Set<number> } {
  const lines = readFileSync(log, "utf8").trim().split("\n");
  const entries = lines.map((line) => line.split(" ").map(Number));
  return { items: entries.map(([, item]) => item!), pids: new Set(entries.map(([pid]) => pid!)) };
}

function allBut(count: number, ...lost: number[]): number[] {
  return [...range(count)].filter((item) => !lost.includes(item));
}

describe("an item that never ends", () => {
  // Far more than an item of these tests takes, also on a busy machine.
  const itemTimeout = 700;

  it.each(["process", "thread"] as const)("is written down, and the others continue (%s)", async (env) => {
    const outputDir = temporaryFolder();
    const options = { ...workers(env, 2), outputDir, shards: 4, itemTimeout, onError: "skip" } as const;
    const provider = new StuckProvider({ notes: temporaryFolder(), block: [5] });
    expect(await new StuckRunner(provider, options).run(range(12))).toEqual(allBut(12, 5));
    expect(failures(outputDir)).toMatchObject([
      { item: 5, tries: 1, error: { code: "ITEM_TIMEOUT", message: expect.stringContaining("more than 700 ms") } },
    ]);
    expect(await leftovers(outputDir)).toEqual(nothing);
  });

  it.each(["process", "thread"] as const)("stops the run with its name (%s)", async (env) => {
    const outputDir = temporaryFolder();
    const options = { ...workers(env), outputDir, shards: 4, itemTimeout };
    const provider = new StuckProvider({ notes: temporaryFolder(), block: [5] });
    await expect(new StuckRunner(provider, options).run(range(12))).rejects.toMatchObject({
      code: "ITEM_FAILED",
      item: 5,
      message: expect.stringMatching(/failed at item 5: forward took more than 700 ms/),
    });
    expect(await leftovers(outputDir)).toEqual(checkpointsOnly);
  });

  it("is tried again as often as retries says", async () => {
    const [outputDir, notes] = [temporaryFolder(), temporaryFolder()];
    const options = {
      ...workers("process", 2),
      outputDir,
      shards: 2,
      itemTimeout,
      retries: 1,
      onError: "skip",
    } as const;
    const provider = new StuckProvider({ notes, blockOnce: [1], block: [6] });
    expect(await new StuckRunner(provider, options).run(range(8))).toEqual(allBut(8, 6));
    expect(failures(outputDir)).toMatchObject([{ item: 6, tries: 2, error: { code: "ITEM_TIMEOUT" } }]);
    const { items } = readLog(join(notes, "log"));
    expect(items.filter((item) => item === 1 || item === 6).sort()).toEqual([1, 1, 6, 6]);
  });

  it("costs no other item of its batch", async () => {
    const outputDir = temporaryFolder();
    const options = {
      ...workers("process"),
      outputDir,
      batchSize: 3,
      shards: 2,
      itemTimeout: 500,
      onError: "skip",
    } as const;
    const provider = new StuckProvider({ notes: temporaryFolder(), block: [1] });
    expect(await new StuckRunner(provider, options).run(range(6))).toEqual(allBut(6, 1));
    expect(failures(outputDir)).toMatchObject([{ item: 1, error: { code: "ITEM_TIMEOUT" } }]);
  });

  it.each(["process", "thread"] as const)("but waits is given up without its worker (%s)", async (env) => {
    const [outputDir, notes] = [temporaryFolder(), temporaryFolder()];
    const options = { ...workers(env), outputDir, shards: 2, itemTimeout: 500, onError: "skip" } as const;
    expect(await new StuckRunner(new StuckProvider({ notes, wait: [1] }), options).run(range(6))).toEqual(allBut(6, 1));
    expect(failures(outputDir)).toMatchObject([{ item: 1, error: { code: "ITEM_TIMEOUT" } }]);
    const { items, pids } = readLog(join(notes, "log"));
    expect([items.length, pids.size]).toEqual([6, 1]);
  });
});

describe("a time limit", () => {
  it("does not touch an item that is slow but below it", async () => {
    const notes = temporaryFolder();
    const options = { ...workers("process"), shards: 1, itemTimeout: 3000 };
    expect(await new StuckRunner(new StuckProvider({ notes, busyMs: 300 }), options).run(range(4))).toEqual(allBut(4));
    const { items, pids } = readLog(join(notes, "log"));
    expect([items, pids.size]).toEqual([[0, 1, 2, 3], 1]);
  });

  it("is for forward alone: a record may take longer to be written", async () => {
    const options = { ...workers("process"), shards: 1, itemTimeout: 300 };
    const provider = new StuckProvider({ notes: temporaryFolder(), writeMs: 700 });
    expect(await new StuckWriterRunner(provider, options).run(range(2))).toEqual([0, 1]);
  });

  it("is not for what comes after a failed item: the env may take longer to be torn down", async () => {
    const provider = new DeadlyHooksProvider({ failAt: 1, teardownMs: 1500 });
    const options = { ...workers("process"), itemTimeout: 300, signal: AbortSignal.timeout(15_000) };
    await expect(new DeadlyHooksRunner(provider, options).run(range(2))).rejects.toMatchObject({
      code: "ITEM_FAILED",
      item: 1,
    });
  });
});

describe("a worker above maxRss", () => {
  // A worker takes some 100 MB by itself: there is room for three items or four.
  const maxRss = 300 * 2 ** 20;
  const itemMb = 50;

  it.each([{}, { writesLater: true }])("is replaced between two items (%o)", async (how) => {
    const [outputDir, log] = [temporaryFolder(), join(temporaryFolder(), "log")];
    const options = { ...workers("process"), outputDir, shards: 1, maxRss };
    const runner = new LeakingRunner(new LeakingProvider({ ...how, log, itemMb }), options);
    expect(await runner.run(range(12))).toEqual(allBut(12));
    const { items, pids } = readLog(log);
    expect(items).toEqual(allBut(12));
    expect(pids.size).toBeGreaterThan(1);
    expect(await leftovers(outputDir)).toEqual(nothing);
  });

  it("continues to the end of its shard where the next one would have to begin that again", async () => {
    const log = join(temporaryFolder(), "log");
    const options = { ...workers("process"), shards: 2, maxRss, signal: AbortSignal.timeout(15_000) };
    const runner = new LeakingPlainRunner(new LeakingProvider({ log, itemMb }), options);
    expect(await runner.run(range(12))).toEqual(allBut(12));
  });

  it("before its first item is an error: every other one would be so too", async () => {
    const [outputDir, log] = [temporaryFolder(), join(temporaryFolder(), "log")];
    const options = { ...workers("process", 2), outputDir, maxRss };
    const runner = new LeakingRunner(new LeakingProvider({ log, envMb: 300 }), options);
    await expect(runner.run(range(12))).rejects.toMatchObject({
      code: "BAD_OPTION",
      message: expect.stringMatching(
        /env of LeakingProvider a worker takes \d+ MB before its first item; maxRss is 300 MB/,
      ),
    });
    expect(await leftovers(outputDir)).toEqual(nothing);
  });
});

describe("what workers may use of the machine", () => {
  const libraries = ["OMP", "MKL", "OPENBLAS", "NUMEXPR"].map((name) => `${name}_NUM_THREADS`);
  const variables = [...libraries, "VECLIB_MAXIMUM_THREADS"];
  const set = (value: string) => Object.fromEntries(variables.map((name) => [name, value]));

  beforeEach(() => {
    for (const name of variables) vi.stubEnv(name, undefined);
    return () => vi.unstubAllEnvs();
  });

  async function testimony(parallel: object) {
    const runner = new WorkerReportRunner(new WorkerReportProvider({ variables }), { progress: false, parallel });
    return (await runner.run([0]))[0]!;
  }

  it.each([2, 1000])(
    "is a share of the cores, or one, for libraries with threads of their own (%d workers)",
    async (n) => {
      const share = Math.max(1, Math.floor(availableParallelism() / n));
      expect(await testimony({ env: "process", n_workers: n })).toMatchObject({ variables: set(String(share)) });
    },
  );

  it("is what the user has set, where they have", async () => {
    vi.stubEnv("OMP_NUM_THREADS", "5");
    expect(await testimony({ env: "process", n_workers: 1000 })).toMatchObject({
      variables: { ...set("1"), OMP_NUM_THREADS: "5" },
    });
  });

  it("is what the options say: threads_per_worker and max_heap_mb", async () => {
    vi.stubEnv("OMP_NUM_THREADS", "5");
    const options = { threads_per_worker: 3, max_heap_mb: 128 };
    const { variables: seen, heapMb } = await testimony({ env: "process", n_workers: 2, options });
    expect(seen).toEqual(set("3"));
    expect(heapMb).toBeLessThan(256);
  });

  it("is what the options say, in threads too: max_heap_mb", async () => {
    const { heapMb } = await testimony({ env: "thread", n_workers: 2, options: { max_heap_mb: 128 } });
    expect(heapMb).toBeLessThan(256);
  });
});
