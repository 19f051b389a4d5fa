import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type ParallelEnv, readRecords } from "millrace";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { childrenOf, endProcessesOf, hasProcesses, processesOf } from "../support/chaos.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const job = pathOf("../fixtures/children/leaving-job.mjs");
const ownListener = pathOf("../fixtures/children/leaving-own-listener.mjs");
const lateStart = pathOf("../fixtures/children/leaving-late-start.mjs");
const makesFiles = pathOf("../fixtures/children/leaving-files.mjs");
const cli = pathOf("../../dist/cli/millrace.js");
const envs = ["local", "process", "thread"] as const satisfies readonly ParallelEnv[];

interface JobOptions {
  readonly env?: ParallelEnv;
  readonly workers?: number;
  readonly items?: number;
  readonly shards?: number;
  readonly leaseTtl?: number;
  readonly holdAt?: readonly number[];
  /** Whether the first call of forward stops its process. */
  readonly stopsFirst?: boolean;
  /** Whether items block their thread instead of answering later. */
  readonly isBlocking?: boolean;
}

beforeEach((context) => {
  if (!hasProcesses) context.skip("there is no /proc");
});

/** A folder with a run in it, to be watched and held: see leaving-job.mjs. */
function newRun({ holdAt, stopsFirst, isBlocking, items = 1000, ...options }: JobOptions = {}) {
  const folder = temporaryFolder();
  const dir = join(folder, "run");
  const config = { folder, holdAt, stopsFirst, isBlocking };
  const defaults = { items, shards: 20, outputDir: dir, mergeFiles: true, config };
  onTestFinished(() => endProcessesOf(folder));
  const machinery = (name: string) => join(dir, ".millrace", name);
  return {
    dir,
    items,
    /** Starts a driver; one of them may differ from the others. */
    start: (own: JobOptions & { outputDir?: undefined } = {}) =>
      startNode([job, JSON.stringify({ ...defaults, ...options, ...own })], folder),
    startScript: (...script: string[]) => startNode([...script, JSON.stringify({ ...defaults, ...options })], folder),
    join: () => startNode([cli, "worker", dir], folder),
    /** Lets one item, or all, run as fast as they can, also where they are held. */
    go: (item?: number) => writeFileSync(join(folder, item === undefined ? "go" : `go.${item}`), ""),
    calls: () =>
      linesOf(join(folder, "calls")).map((line) => {
        const [pid, idx] = line.split(" ").map(Number);
        return { pid: pid!, idx: idx! };
      }),
    envs: () => linesOf(join(folder, "envs")).map(Number),
    processes: () => processesOf(folder),
    machinery: (name: "leases" | "workers" | "attempts") => readdirSync(machinery(name)),
    /** What the workers report of themselves. */
    workers: () => readdirSync(machinery("workers")).flatMap((name) => linesOf(join(machinery("workers"), name))),
    merged: () => [...readRecords<{ idx: number }>(join(dir, "records.jsonl"))].map(({ idx }) => idx),
  };
}

/** The lines of a file that may not be there yet, or not any more. */
function linesOf(path: string): string[] {
  try {
    // Only whole lines: the file may be there before its text, and a signal to process 0 goes to this whole process group.
    return readFileSync(path, "utf8").split("\n").slice(0, -1);
  } catch {
    return [];
  }
}

type Run = ReturnType<typeof newRun>;

/** Starts a program in a process group of its own, as a shell does, with a folder for temporary files. */
function startNode(args: readonly string[], folder: string) {
  const tmp = join(folder, "tmp");
  mkdirSync(tmp, { recursive: true });
  const child = spawn(process.execPath, args, { detached: true, stdio: "pipe", env: { ...process.env, TMPDIR: tmp } });
  const said = { stdout: "", stderr: "" };
  child.stdout.on("data", (text) => (said.stdout += text));
  child.stderr.on("data", (text) => (said.stderr += text));
  return {
    pid: child.pid!,
    said,
    stdin: child.stdin,
    tmp,
    ended: new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => resolve({ code, signal }));
    }),
  };
}

const succeeded = { code: 0, signal: null };
const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 200_000, interval: 20 });

/** Which items ran, and how often each did. */
function timesRun(run: Run): Map<number, number> {
  const times = new Map<number, number>();
  for (const { idx } of run.calls()) times.set(idx, (times.get(idx) ?? 0) + 1);
  return times;
}

function runTwice(run: Run): number[] {
  return [...timesRun(run)].filter(([, times]) => times > 1).map(([idx]) => idx);
}

async function expectNobodyLeft(run: Run): Promise<void> {
  // A worker has given everything back before its driver ends; its process needs a moment more.
  await until(() => run.processes().length === 0);
  expect(run.machinery("leases")).toEqual([]);
  expect(run.machinery("workers")).toEqual([]);
  expect(run.machinery("attempts").filter((name) => !name.endsWith(".fenced"))).toEqual([]);
}

/** Runs what is left, as fast as it can. */
async function resume(run: Run, options: JobOptions = {}): Promise<void> {
  run.go();
  const driver = run.start({ env: "local", ...options });
  expect(await driver.ended, driver.said.stderr).toEqual(succeeded);
  expect(driver.said.stdout).toBe(`${run.items}\n`);
  expect(run.merged()).toEqual(numbers(run.items));
}

describe.each(envs)("with env: %s", (env) => {
  const ways = [
    ["SIGINT", "to the driver"],
    ["SIGINT", "to all processes of the terminal"],
    ["SIGTERM", "to the driver"],
  ] as const;

  it.each(ways)("one %s %s saves and releases; a resume runs nothing twice", async (signal, toWhom) => {
    const run = newRun({ env });
    const driver = run.start();
    await until(() => run.calls().length > 50);
    process.kill(toWhom === "to the driver" ? driver.pid : -driver.pid, signal);
    expect(await driver.ended).toEqual({ code: null, signal });
    expect(driver.said.stderr).toContain("run it again and it continues where it was");
    await expectNobodyLeft(run);
    await resume(run);
    expect(runTwice(run)).toEqual([]);
  });

  // Node.js runs signal handlers between items: a blocking forward of this very process hears neither the first nor the
  // second Ctrl-C.
  const isBlocking = env !== "local";

  it("a second Ctrl-C stops at once, in the middle of an item of 60 s", async () => {
    const run = newRun({ env, holdAt: [3, 503], isBlocking, shards: 2 });
    const driver = run.start();
    const held = env === "local" ? [3] : [3, 503];
    await until(() => held.every((item) => timesRun(run).has(item)));
    process.kill(-driver.pid, "SIGINT");
    await until(() => driver.said.stderr.includes("Ctrl-C again stops at once"));
    const beganMs = performance.now();
    process.kill(-driver.pid, "SIGINT");
    expect(await driver.ended).toEqual({ code: null, signal: "SIGINT" });
    expect(performance.now() - beganMs).toBeLessThan(55_000);
    await expectNobodyLeft(run);
    await resume(run);
    expect(runTwice(run)).toEqual(expect.arrayContaining(held));
  });

  it("one Ctrl-C removes the temporary run folder", async () => {
    const run = newRun({ env });
    const driver = run.start({ outputDir: undefined });
    await until(() => run.calls().length > 3);
    process.kill(-driver.pid, "SIGINT");
    expect(await driver.ended).toEqual({ code: null, signal: "SIGINT" });
    expect(readdirSync(driver.tmp)).toEqual([]);
    await until(() => run.processes().length === 0);
  });

  it("a script with its own listener for SIGINT gets RUN_STOPPED, lives on without children and can run again", async () => {
    const run = newRun({ env });
    const script = run.startScript(ownListener);
    script.stdin.write("\n");
    await until(() => run.calls().length > 50);
    process.kill(-script.pid, "SIGINT");
    await until(() => script.said.stdout === "SIGINT\nRUN_STOPPED\n");
    await until(() => childrenOf(script.pid).length === 0);
    run.go();
    script.stdin.end("\n");
    expect(await script.ended).toEqual(succeeded);
    expect(script.said.stdout).toBe("SIGINT\nRUN_STOPPED\n1000\n");
    expect(runTwice(run)).toEqual([]);
  });
});

it("a worker that is sent SIGTERM saves and leaves, and another one replaces it, also where it was the only one", async () => {
  const run = newRun({ env: "process", workers: 1 });
  const driver = run.start();
  await until(() => run.calls().length > 50);
  const [first] = run.envs();
  process.kill(first!, "SIGTERM");
  await until(() => run.envs().length > 1);
  run.go();
  expect(await driver.ended, driver.said.stderr).toEqual(succeeded);
  expect(run.envs()).toHaveLength(2);
  expect(runTwice(run)).toEqual([]);
  await expectNobodyLeft(run);
  expect(run.merged()).toEqual(numbers(run.items));
});

describe("a second Ctrl-C", () => {
  it("removes the temporary run folder of local", async () => {
    const run = newRun({ env: "local", holdAt: [3] });
    const driver = run.start({ outputDir: undefined });
    await until(() => timesRun(run).has(3));
    process.kill(driver.pid, "SIGINT");
    await until(() => driver.said.stderr.includes("Ctrl-C again stops at once"));
    process.kill(driver.pid, "SIGINT");
    expect(await driver.ended).toEqual({ code: null, signal: "SIGINT" });
    expect(readdirSync(driver.tmp)).toEqual([]);
  });

  it.each(["process", "thread"])("removes that of %s although its workers are writing", async (env) => {
    const folder = temporaryFolder();
    const driver = startNode([makesFiles, env], folder);
    await until(() => driver.said.stderr.split("making files").length > 2);
    process.kill(-driver.pid, "SIGINT");
    await until(() => driver.said.stderr.includes("Ctrl-C again stops at once"));
    process.kill(-driver.pid, "SIGINT");
    expect(await driver.ended, driver.said.stderr).toEqual({ code: null, signal: "SIGINT" });
    expect(readdirSync(driver.tmp)).toEqual([]);
  });

  it("does not reach into the next run of a script with its own listener", async () => {
    const run = newRun({ env: "thread", holdAt: [3], isBlocking: true });
    const script = run.startScript(ownListener);
    script.stdin.write("\n");
    await until(() => timesRun(run).has(3));
    process.kill(script.pid, "SIGINT");
    await until(() => script.said.stdout === "SIGINT\n");
    process.kill(script.pid, "SIGINT");
    await until(() => script.said.stdout === "SIGINT\nSIGINT\nRUN_STOPPED\n");
    script.stdin.end("\n");
    // The second signal has its effect within a second.
    await sleep(1500);
    await until(() => timesRun(run).get(3) === 2);
    process.kill(script.pid, "SIGINT");
    await until(() => script.said.stdout.endsWith("SIGINT\n"));
    run.go();
    expect(await script.ended).toEqual(succeeded);
    expect(script.said.stdout).toBe("SIGINT\nSIGINT\nRUN_STOPPED\nSIGINT\nRUN_STOPPED\n");
  });
});

describe("a forward that blocks for longer than leaseTtl", () => {
  it("keeps its shard with every env, although another driver waits for it", async () => {
    await Promise.all(
      envs.map(async (env) => {
        const run = newRun({ env, items: 200, shards: 4, holdAt: [150], isBlocking: true, leaseTtl: 1500 });
        const first = run.start();
        await until(() => timesRun(run).has(150));
        const second = run.start({ env: "local" });
        await until(() => run.envs().includes(second.pid));
        await sleep(4000);
        run.go();
        expect(await Promise.all([first.ended, second.ended])).toEqual([succeeded, succeeded]);
        expect(timesRun(run).get(150)).toBe(1);
        expect(run.merged()).toEqual(numbers(200));
      }),
    );
  });
});

describe("a driver that is killed", () => {
  it("leaves no worker behind, and the next run continues", async () => {
    const run = newRun({ env: "process" });
    const driver = run.start();
    await until(() => run.calls().length > 50);
    process.kill(driver.pid, "SIGKILL");
    await driver.ended;
    await until(() => run.processes().length === 0);
    await resume(run, { env: "process" });
    expect(runTwice(run).length).toBeLessThan(20);
  });

  it.each([500, 2500])(
    "leaves none behind either that is blocked in an item of 60 s, in shards of %i",
    async (size) => {
      const run = newRun({ env: "process", holdAt: [3, size + 3], isBlocking: true, items: 2 * size, shards: 2 });
      const driver = run.start();
      await until(() => timesRun(run).has(3) && timesRun(run).has(size + 3));
      process.kill(driver.pid, "SIGKILL");
      const beganMs = performance.now();
      await until(() => run.processes().length === 0);
      expect(performance.now() - beganMs).toBeLessThan(55_000);
      await resume(run);
      expect(runTwice(run).length).toBeLessThan(20);
    },
  );

  it("leaves no shard held by a worker that had not even begun", async () => {
    const run = newRun({ env: "process", workers: 1 });
    const driver = run.startScript("--import", lateStart, job);
    await until(() => existsSync(join(driver.tmp, "worker")));
    process.kill(driver.pid, "SIGKILL");
    await driver.ended;
    await until(() => run.processes().length === 0);
    await resume(run);
    await expectNobodyLeft(run);
  });
});

describe("a worker that is stopped (SIGSTOP)", () => {
  const leaseTtl = 1000;

  /** What the process at an item reports of itself, once its heartbeat beats. */
  async function workerAt(run: Run, item: number) {
    await until(() => timesRun(run).has(item));
    const { pid } = run.calls().find(({ idx }) => idx === item)!;
    const report = () => run.workers().find((text) => text.includes(`"pid":${pid},`)) ?? "";
    await until(() => report().includes(`"ttlMs":${leaseTtl},`));
    return { pid, report };
  }

  it("loses its shard; the others finish it, and the driver ends although that one never wakes", async () => {
    const run = newRun({ env: "process", holdAt: [0], leaseTtl });
    const driver = run.start();
    const { pid } = await workerAt(run, 0);
    process.kill(pid, "SIGSTOP");
    run.go();
    expect(await driver.ended).toEqual(succeeded);
    await expectNobodyLeft(run);
    expect(timesRun(run).get(0)).toBe(2);
    expect(run.merged()).toEqual(numbers(1000));
  });

  it("loses it too where it was stopped in its very first item", async () => {
    const run = newRun({ env: "process", stopsFirst: true, leaseTtl });
    const driver = run.start();
    await until(() => run.calls().length > 0);
    run.go();
    expect(await driver.ended).toEqual(succeeded);
    await expectNobodyLeft(run);
    expect(run.merged()).toEqual(numbers(1000));
  });

  it("commits nothing when it wakes after another one has finished its shard", async () => {
    const run = newRun({ env: "process", workers: 3, items: 6, shards: 3, holdAt: [0, 2], leaseTtl });
    const driver = run.start();
    const late = await workerAt(run, 0);
    process.kill(late.pid, "SIGSTOP");
    run.go(0);
    await until(() => existsSync(join(run.dir, "split.0")));
    const committed = readFileSync(join(run.dir, "split.0", "done"), "utf8");
    process.kill(late.pid, "SIGCONT");
    await until(() => late.report().includes('"shard":-1,'));
    run.go(2);
    expect(await driver.ended).toEqual(succeeded);
    expect(readFileSync(join(run.dir, "split.0", "done"), "utf8")).toBe(committed);
    expect(run.merged()).toEqual(numbers(6));
    await expectNobodyLeft(run);
  });
});

describe("several on one folder", () => {
  it("a driver that wakes after another one has completed the run gets all of it too", async () => {
    const run = newRun({ env: "local", holdAt: [0], leaseTtl: 1000 });
    const first = run.start();
    await until(() => run.calls().length > 0 && run.workers().some((text) => text.includes('"ttlMs":1000,')));
    process.kill(first.pid, "SIGSTOP");
    await resume(run);
    process.kill(first.pid, "SIGCONT");
    expect(await first.ended, first.said.stderr).toEqual(succeeded);
    expect(first.said.stdout).toBe("1000\n");
    await expectNobodyLeft(run);
  });

  it.each([
    ["process", "process"],
    ["thread", "local"],
  ] as const)("a driver with %s and one with %s share the work, and both get all of it", async (...two) => {
    const run = newRun();
    const drivers = two.map((env) => run.start({ env }));
    const working = () => run.processes().filter(({ pid }) => run.calls().some((call) => call.pid === pid));
    const isAtWork = ({ pid }: { pid: number }) => working().some((one) => one.pid === pid || one.parent === pid);
    await until(() => drivers.every(isAtWork));
    run.go();
    for (const driver of drivers) {
      expect(await driver.ended, driver.said.stderr).toEqual(succeeded);
      expect(driver.said.stdout).toBe("1000\n");
    }
    expect(runTwice(run)).toEqual([]);
    expect(run.merged()).toEqual(numbers(1000));
    await expectNobodyLeft(run);
  });

  it("a worker that joins late with `millrace worker` gets shards", async () => {
    const run = newRun({ env: "process", workers: 1 });
    const driver = run.start();
    await until(() => run.calls().length > 0);
    const joined = run.join();
    await until(() => run.calls().some(({ pid }) => pid === joined.pid));
    run.go();
    expect(await Promise.all([driver.ended, joined.ended])).toEqual([succeeded, succeeded]);
    expect(joined.said.stderr).toContain("all shards are committed");
    expect(runTwice(run)).toEqual([]);
    expect(run.merged()).toEqual(numbers(1000));
    await expectNobodyLeft(run);
  });

  it("a joined worker leaves on Ctrl-C, and the others continue with its shard", async () => {
    const run = newRun({ env: "local" });
    const driver = run.start();
    await until(() => run.calls().length > 0);
    const joined = run.join();
    await until(() => run.calls().some(({ pid }) => pid === joined.pid));
    process.kill(joined.pid, "SIGINT");
    expect(await joined.ended).toEqual({ code: 130, signal: null });
    expect(joined.said.stderr).toContain("left; other workers may continue");
    run.go();
    expect(await driver.ended).toEqual(succeeded);
    expect(runTwice(run)).toEqual([]);
    expect(run.merged()).toEqual(numbers(1000));
    await expectNobodyLeft(run);
  });

  it("`millrace worker` says where there is no run, without a stack trace", async () => {
    const folder = temporaryFolder();
    const joined = startNode([cli, "worker", join(folder, "nothing")], folder);
    expect(await joined.ended).toEqual({ code: 1, signal: null });
    expect(joined.said.stderr).toContain(`There is no run in ${join(folder, "nothing")}`);
    expect(joined.said.stderr).not.toMatch(/^\s+at /m);
  });
});
