import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type FailureRecord, range, readFailures } from "millrace";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  DeadlyPlainRunner,
  DeadlyProvider,
  DeadlyRunner,
  type Death,
  type Survivor,
  survivor,
} from "../fixtures/runners/deadly.ts";
import { DeadlyHooksProvider, DeadlyHooksRunner } from "../fixtures/runners/deadly-hooks.ts";
import { checkpointsOnly, leftovers, nothing } from "../support/leftovers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** What dying workers wrote to stderr, and what was said of them. */
let stderr = "";
/** Ends a run whose workers are replaced for ever. */
let endlessly = new AbortController();

const maxReplacements = 20;

beforeEach(() => {
  stderr = "";
  endlessly = new AbortController();
  vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
    stderr += chunk.toString();
    if (stderr.split("another one replaces it").length > maxReplacements) endlessly.abort();
    return true;
  });
});

type Deaths = Readonly<Record<number, Death>>;

function workers(env: "process" | "thread", n_workers = 1) {
  const parallel = { env, n_workers, options: { max_heap_mb: 64 } } as const;
  // Where a test fails because workers are replaced for ever, it ends nevertheless.
  return { progress: false, parallel, signal: endlessly.signal } as const;
}

function survivors(count: number, deaths: Deaths = {}): Survivor[] {
  return [...range(count)].filter((item) => !(item in deaths)).map(survivor);
}

function failures(outputDir: string): FailureRecord[] {
  return [...readFailures(outputDir)];
}

function failedItems(outputDir: string): number[] {
  return failures(outputDir).map(({ item }) => item);
}

function mergedBytes(outputDir: string): string {
  return readFileSync(join(outputDir, "records.jsonl"), "utf8");
}

/** Which items were begun, and by which process. */
function readLog(log: string): { pid: number; item: number }[] {
  if (!existsSync(log)) return [];
  // Only whole lines: the file may be there before its text, and a signal to process 0 goes to this whole process group.
  const lines = readFileSync(log, "utf8").matchAll(/^(\d+) (\d+)\n/gm);
  return [...lines].map(([, pid, item]) => ({ pid: Number(pid), item: Number(item) }));
}

async function until<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const seen = look();
    if (seen !== undefined) return seen;
    await sleep(10);
  }
}

const deathsOfProcesses = {
  // Two in the shard 0-7, one beside the other; three at the ends of 8-15; three in 16-23.
  1: ["SIGKILL", "was ended by SIGKILL"],
  2: ["exit 3", "exited with code 3"],
  8: ["SIGSEGV", "was ended by SIGSEGV"],
  9: ["rejection", "exited with code 1 (Error: no one awaits this)"],
  15: ["exit 0", "exited with code 0"],
  18: ["exception", "exited with code 1 (Error: nothing catches this)"],
  20: ["memory", "was ended by SIGABRT"],
  23: ["abort", "was ended by SIGABRT"],
} as const;

const { 2: exit3, 9: rejection, 15: exit0, 18: exception } = deathsOfProcesses;
const deathsOfThreads = { 2: exit3, 9: rejection, 15: exit0, 18: exception, 20: ["memory", "out of memory"] } as const;

describe("an item that ends its worker", () => {
  it.each([
    ["process", deathsOfProcesses],
    ["thread", deathsOfThreads],
  ] as const)("is the only one lost, however it does that (%s)", async (env, kinds) => {
    const deaths = Object.fromEntries(Object.entries(kinds).map(([item, [death]]) => [item, death])) as Deaths;
    const fixed = join(temporaryFolder(), "fixed");
    const provider = new DeadlyProvider({ deaths, fixed });
    const outputDir = temporaryFolder();
    const options = { ...workers(env, 2), outputDir, shards: 4, mergeFiles: true, onError: "skip" } as const;
    expect(await new DeadlyRunner(provider, options).run(range(32))).toEqual(survivors(32, deaths));
    expect(failures(outputDir)).toMatchObject(
      Object.entries(kinds).map(([item, [, how]]) => ({
        item: Number(item),
        error: {
          code: "ITEM_CRASHED",
          message: expect.stringMatching(`the worker .*${literally(how)}.* while this item ran`),
        },
      })),
    );
    expect(await leftovers(outputDir)).toEqual(nothing);

    writeFileSync(fixed, "");
    const local = temporaryFolder();
    await new DeadlyRunner(provider, { progress: false, outputDir: local, shards: 4, mergeFiles: true }).run(range(32));
    const lines = mergedBytes(local).split("\n");
    expect(mergedBytes(outputDir)).toBe(lines.filter((_line, item) => !(item in deaths)).join("\n"));
  });

  it.each([
    ["process", "SIGKILL", "the worker was ended by SIGKILL while this item ran"],
    ["thread", "exit 3", "the worker exited with code 3 while this item ran"],
  ] as const)("stops the run with its name, and the run continues once it is fixed (%s)", async (env, death, why) => {
    const folder = temporaryFolder();
    const [fixed, log] = [join(folder, "fixed"), join(folder, "log")];
    const provider = new DeadlyProvider({ deaths: { 7: death }, fixed, log });
    const outputDir = temporaryFolder();
    const options = { ...workers(env), outputDir, shards: 6 };
    await expect(new DeadlyRunner(provider, options).run(range(12))).rejects.toMatchObject({
      code: "ITEM_FAILED",
      item: 7,
      message: expect.stringContaining(`DeadlyRunner.forward failed at item 7: ${why}`),
    });
    expect(await leftovers(outputDir)).toEqual(checkpointsOnly);

    writeFileSync(fixed, "");
    expect(await new DeadlyRunner(provider, options).run(range(12))).toEqual(survivors(12));
    expect(await leftovers(outputDir)).toEqual(nothing);
    const elsewhere = readLog(log).filter(({ item }) => item !== 6 && item !== 7);
    expect(elsewhere.map(({ item }) => item).sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 8, 9, 10, 11]);
  });

  it("costs no other item of its batch", async () => {
    const deaths = { 3: "exit 3", 4: "SIGSEGV", 13: "exit 0" } as const;
    const outputDir = temporaryFolder();
    const options = { ...workers("process", 2), outputDir, shards: 2, batchSize: 8, onError: "skip" } as const;
    expect(await new DeadlyRunner(new DeadlyProvider({ deaths }), options).run(range(16))).toEqual(
      survivors(16, deaths),
    );
    expect(failedItems(outputDir)).toEqual([3, 4, 13]);
    expect(await leftovers(outputDir)).toEqual(nothing);
  });

  it("costs no other item of a shard that has to begin again, since its writer cannot be checkpointed", async () => {
    const deaths = { 2: "exit 3", 5: "SIGSEGV" } as const;
    const outputDir = temporaryFolder();
    const options = { ...workers("process"), outputDir, shards: 1, onError: "skip" } as const;
    expect(await new DeadlyPlainRunner(new DeadlyProvider({ deaths }), options).run(range(8))).toEqual(
      survivors(8, deaths),
    );
    expect(failedItems(outputDir)).toEqual([2, 5]);
    expect(await leftovers(outputDir)).toEqual(nothing);
  });

  it("costs no other item when its worker ends a little later, by a rejection it left behind", async () => {
    const provider = new DeadlyProvider({ deaths: { 2: "rejection left behind" }, busyMs: 30 });
    const outputDir = temporaryFolder();
    const options = { ...workers("process"), outputDir, shards: 1, onError: "skip" } as const;
    const records = await new DeadlyPlainRunner(provider, options).run(range(8));
    expect(records).toEqual(expect.arrayContaining(survivors(8, { 2: "rejection left behind" })));
    expect([[], [2]]).toContainEqual(failedItems(outputDir));
  });

  it.each([
    ["process", "SIGSEGV"],
    ["thread", "exit 0"],
  ] as const)(
    "stays failed while a retry finds it deadly, and gets its record in item order once it is not (%s)",
    async (env, death) => {
      const fixed = join(temporaryFolder(), "fixed");
      const provider = new DeadlyProvider({ deaths: { 3: death }, fixed });
      const outputDir = temporaryFolder();
      const options = { ...workers(env), outputDir, shards: 2, mergeFiles: true, onError: "skip" } as const;
      const runner = new DeadlyRunner(provider, options);
      await runner.run(range(12));
      expect(await runner.retryFailed()).toEqual(survivors(12, { 3: death }));
      expect(failures(outputDir)).toMatchObject([{ item: 3, error: { code: "ITEM_CRASHED" } }]);
      expect(await leftovers(outputDir)).toEqual(nothing);

      writeFileSync(fixed, "");
      await runner.retryFailed();
      expect(failedItems(outputDir)).toEqual([]);
      expect(mergedBytes(outputDir)).toBe(
        survivors(12)
          .map((record) => `${JSON.stringify(record)}\n`)
          .join(""),
      );
      expect(await leftovers(outputDir)).toEqual(nothing);
    },
  );
});

describe("a worker that is killed from outside", () => {
  it("is replaced, and no item is lost, not even the one that ran both times", async () => {
    const folder = temporaryFolder();
    const [hold, log] = [join(folder, "hold"), join(folder, "log")];
    const outputDir = temporaryFolder();
    const options = { ...workers("process", 2), outputDir, shards: 2, onError: "skip" } as const;
    const run = new DeadlyRunner(new DeadlyProvider({ hold, log }), options).run(range(8));
    const nthToBegin = (item: number, n: number) =>
      until(() => readLog(log).filter((entry) => entry.item === item)[n]?.pid);
    const first = await nthToBegin(0, 0);
    process.kill(first, "SIGKILL");
    const second = await nthToBegin(0, 1);
    process.kill(second, "SIGKILL");
    const third = await nthToBegin(0, 2);
    writeFileSync(hold, "");
    expect(await run).toEqual(survivors(8));
    expect(failures(outputDir)).toEqual([]);
    expect(new Set([first, second, third]).size).toBe(3);
    expect(stderr.match(/a worker was ended by SIGKILL; another one replaces it/g)).toHaveLength(2);
    expect(await leftovers(outputDir)).toEqual(nothing);
  });
});

describe("a worker that is asked to leave from outside, and whose env answers by an exit", () => {
  it.each([0, 7, 143])("is replaced, and no item is blamed for it (exit code %i)", async (exitOnSigterm) => {
    const folder = temporaryFolder();
    const [hold, log] = [join(folder, "hold"), join(folder, "log")];
    const outputDir = temporaryFolder();
    const options = { ...workers("process"), outputDir, shards: 1, onError: "skip" } as const;
    const run = new DeadlyRunner(new DeadlyProvider({ hold, log, exitOnSigterm }), options).run(range(4));
    for (let times = 0; times < 3; times++) process.kill(await until(() => readLog(log)[times]?.pid), "SIGTERM");
    await until(() => readLog(log)[3]);
    writeFileSync(hold, "");
    expect(await run).toEqual(survivors(4));
    expect(failures(outputDir)).toEqual([]);
  });
});

describe("a hook that ends its worker", () => {
  it.each([
    ["openWriters", "process"],
    ["closeWriters", "thread"],
  ] as const)("ends the run after some tries (%s in a %s)", async (exitIn, env) => {
    const outputDir = temporaryFolder();
    const options = { ...workers(env), outputDir, shards: 1, onError: "skip" } as const;
    await expect(
      new DeadlyHooksRunner(new DeadlyHooksProvider({ exitIn }), options).run(range(4)),
    ).rejects.toMatchObject({
      code: "WORKER_CRASHED",
      message: expect.stringMatching(
        /split\.0 .*none of its items ran; the last one exited with code 5[\s\S]*openWriters/,
      ),
    });
    expect(stderr.split("another one replaces it").length).toBeLessThan(10);
    expect(await leftovers(outputDir)).toEqual(checkpointsOnly);
  });

  it("does not hide why the run failed: teardown", async () => {
    const outputDir = temporaryFolder();
    const provider = new DeadlyHooksProvider({ exitIn: "teardown", failAt: 2 });
    const options = { ...workers("process"), outputDir, signal: endlessly.signal };
    await expect(new DeadlyHooksRunner(provider, options).run(range(4))).rejects.toMatchObject({
      code: "ITEM_FAILED",
      item: 2,
    });
    expect(await leftovers(outputDir)).toEqual(checkpointsOnly);
  });
});

describe("an env that cannot be built", () => {
  it.each([
    ["process", "abort", "was ended by SIGABRT"],
    ["process", "exit", "exited with code 7"],
    ["thread", "exit", "exited with code 7"],
  ] as const)(
    "ends the run after some tries, with what the worker wrote to stderr (%s, %s)",
    async (env, build, how) => {
      const outputDir = temporaryFolder();
      const options = { ...workers(env), outputDir };
      await expect(
        new DeadlyHooksRunner(new DeadlyHooksProvider({ build }), options).run(range(4)),
      ).rejects.toMatchObject({
        code: "WORKER_CRASHED",
        message: expect.stringMatching(
          new RegExp(`before their env was built; the last one ${how}[\\s\\S]*cannot load model`),
        ),
      });
      expect(await leftovers(outputDir)).toEqual(nothing);
    },
  );

  it.each(["process", "thread"] as const)(
    "because it throws ends the run at once, with its message (%s)",
    async (env) => {
      const outputDir = temporaryFolder();
      const options = { ...workers(env, 2), outputDir };
      await expect(
        new DeadlyHooksRunner(new DeadlyHooksProvider({ build: "throw" }), options).run(range(4)),
      ).rejects.toMatchObject({
        code: "ENV_FAILED",
        message: expect.stringContaining("DeadlyHooksProvider could not build the env: no such model"),
      });
      expect(await leftovers(outputDir)).toEqual(nothing);
    },
  );
});

function literally(text: string): string {
  return text.replace(/[()]/g, "\\$&");
}
