import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { RunnerOptions } from "millrace";
import type { TestContext } from "vitest";
import { endProcessesOf, processesOf, type RunningProcess } from "./chaos.ts";
import type { SlurmCluster, SlurmJob } from "./clusters/slurm-cluster.ts";
import { waitUntil } from "./clusters/wait-until.ts";
import { removeFolder } from "./remove-folder.ts";

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const script = pathOf("../fixtures/children/queue-job.mjs");
const cli = pathOf("../../dist/cli/millrace.js");

/** What items do: see queue-job.mjs. */
interface QueueConfig {
  readonly itemMs?: number;
  readonly holdAt?: readonly number[];
  readonly failAt?: readonly number[];
  readonly isBroken?: boolean;
}

export interface QueueOptions extends RunnerOptions {
  readonly asyncMode?: boolean;
  readonly config?: QueueConfig;
  readonly items?: number;
  readonly workers?: number;
  readonly env?: string;
  /** Of the launcher, beside those that make tests quick. */
  readonly jobs?: Readonly<Record<string, unknown>>;
  /** The run folder's name. */
  readonly name?: string;
}

export interface Ended {
  /** What a shell would say: 130 for one that Ctrl-C has ended. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that was started, and ends with its test at the latest. */
export interface Started {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** What it has written to stderr so far. */
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
}

export type SlurmRun = ReturnType<typeof slurmRun>;

/** A run on a cluster of the tests, in a folder of its own. */
export function slurmRun(context: TestContext, cluster: SlurmCluster, options: QueueOptions = {}) {
  const { config = {}, items = 60, name = "run", jobs: asked = {}, workers = 2, env = "slurm", ...others } = options;
  const folder = mkdtempSync(join(tmpdir(), "millrace-test-"));
  const dir = join(folder, name);
  context.onTestFinished(async () => {
    endProcessesOf(folder);
    await removeFolder(folder);
  });
  const base = { shards: 12, mergeFiles: true, outputDir: dir, config: { folder, ...config }, items, ...others };
  const optionsOf = (own: QueueOptions & { readonly isRetry?: boolean }) => {
    const { workers: n = workers, env: place = env, jobs = {}, config: more = {}, ...rest } = own;
    const isBatch = place === "slurm";
    const launcher = isBatch ? { poll_interval: 1, ...asked, ...jobs } : {};
    const parallel = { env: place, n_workers: n, options: launcher };
    return { ...base, ...rest, config: { ...base.config, ...more }, parallel };
  };
  const start = (words: readonly string[], variables: NodeJS.ProcessEnv = {}): Started =>
    startNode(words, { cwd: folder, env: { ...cluster.environment, ...variables } });
  const machinery = (part: string) => join(dir, ".millrace", part);
  const notes = (part: string) => linesOf(join(folder, part)).map((line) => line.split(" "));

  return {
    dir,
    folder,
    items,
    /** Starts a driver; it may differ from the run's own options. */
    drive: (own: QueueOptions & { readonly isRetry?: boolean } = {}, variables: NodeJS.ProcessEnv = {}) =>
      start([script, JSON.stringify(optionsOf(own))], variables),
    /** Starts the command line. */
    cli: (...words: string[]) => start([cli, ...words]),
    /** Writes a config that describes the same run. */
    writeConfig(own: Readonly<Record<string, unknown>> = {}): string {
      const { config: provided, items: count, parallel, outputDir, shards, mergeFiles } = optionsOf({});
      // A target lies in the project, which is where the config is.
      writeFileSync(join(folder, "jobs.mjs"), `export * from ${JSON.stringify(pathToFileURL(script).href)};\n`);
      const target = (what: string) => `./jobs.mjs#${what}`;
      const file = join(folder, "job.yaml");
      const runner = {
        _target_: target("QueueRunner"),
        output_dir: outputDir,
        shards,
        merge_files: mergeFiles,
        ...own,
      };
      const whole = { ...provided, provider: { _target_: target("QueueProvider") }, runner, items: count, parallel };
      writeFileSync(file, JSON.stringify(whole, null, 1));
      return file;
    },
    /** Lets all items run as fast as they can. */
    go: () => writeFileSync(join(folder, "go"), ""),
    fix: () => writeFileSync(join(folder, "fixed"), ""),
    calls: () => notes("calls").map(([node, pid, idx]) => ({ node: node!, pid: pid!, idx: Number(idx) })),
    envs: () => notes("envs").map(([node, pid, devices]) => ({ node: node!, pid: pid!, devices: devices! })),
    isCommitted: () => shardsIn(dir).length,
    machinery: (part: "leases" | "workers" | "attempts" | "jobs") => namesIn(machinery(part)),
    /** What was submitted, as the run folder shows. */
    submissions: () =>
      namesIn(machinery("jobs"))
        .filter((file) => /^[\w-]+\.json$/.test(file))
        .map((file) => JSON.parse(readFileSync(join(machinery("jobs"), file), "utf8")) as Submitted),
    script: (): string => {
      const file = namesIn(machinery("jobs")).find((one) => one.endsWith(".job"));
      return readFileSync(join(machinery("jobs"), file!), "utf8");
    },
    /** Processes of this machine that are at work on the run. */
    workers: () => processesOf(folder).filter((one) => isProgram(one, "worker-process.js")),
    jobProcesses: () => processesOf(folder).filter((one) => isProgram(one, "job-process.js")),
    /** Waits until `count` items were begun. */
    begun: (count: number) =>
      waitUntil(() => notes("calls").length >= count, {
        what: `${count} calls`,
        details: () => logsOf(machinery("logs")),
      }),
    logs: () => logsOf(machinery("logs")),
    /** Its files, shard by shard and merged, are those of the same run without any cluster. */
    async expectAsLocal(own: QueueOptions = {}): Promise<void> {
      const place = mkdtempSync(join(folder, "local-"));
      const { queueRunner } = (await import(pathToFileURL(script).href)) as { queueRunner: MakeRunner };
      const given = { ...optionsOf({ ...own, env: "local" }), outputDir: join(place, "run"), asyncMode: false };
      const { asyncSpecsDir: _specs, asyncResultDir: _results, items: _items, ...rest } = given as QueueOptions;
      mkdirSync(join(place, "notes"));
      writeFileSync(join(place, "notes", "go"), "");
      writeFileSync(join(place, "notes", "fixed"), "");
      await queueRunner({ ...rest, config: { folder: join(place, "notes") } }).run(
        Array.from({ length: items }, (_, i) => i),
      );
      context.expect(filesOf(dir)).toEqual(filesOf(join(place, "run")));
    },
  };
}

interface Submitted {
  readonly name: string;
  readonly id?: string;
  readonly tasks: number;
  readonly isClosed?: boolean;
}

type MakeRunner = (options: object) => { run(items: readonly number[]): Promise<unknown> };

/** What a program says that ends well. */
export async function succeeded(context: TestContext, started: Started, run?: SlurmRun): Promise<Ended> {
  const ended = await started.ended;
  context.expect(ended.status, `${ended.stderr}\n${run?.logs() ?? ""}`).toBe(0);
  return ended;
}

/** The jobs of a cluster that have not ended. */
export async function liveJobs(cluster: SlurmCluster, ids?: readonly string[]): Promise<SlurmJob[]> {
  const over = /^(COMPLETED|CANCELLED|FAILED|TIMEOUT|NODE_FAIL|PREEMPTED|OUT_OF_MEMORY)$/;
  const isAsked = ({ id }: SlurmJob) => ids === undefined || ids.some((one) => id === one || id.startsWith(`${one}_`));
  return (await cluster.jobs()).filter((job) => !over.test(job.state) && isAsked(job));
}

/** Waits until a cluster has no job of a run left. */
export async function noJobLeft(cluster: SlurmCluster, run: SlurmRun): Promise<void> {
  const ids = run.submissions().flatMap(({ id }) => id ?? []);
  let left: SlurmJob[] = [];
  const question = async () => {
    left = await liveJobs(cluster, ids);
    return left.length === 0;
  };
  await waitUntil(question, { what: "the jobs to be gone", details: () => JSON.stringify(left) });
}

export function killProcess({ pid }: RunningProcess, signal: NodeJS.Signals = "SIGKILL"): void {
  process.kill(pid, signal);
}

/** The node that a process of this machine is on. */
export function nodeOf({ pid }: RunningProcess): string | undefined {
  try {
    return /\0SLURMD_NODENAME=(\w+)\0/.exec(readFileSync(`/proc/${pid}/environ`, "latin1"))?.[1];
  } catch {
    return undefined;
  }
}

/** Makes a program that is found before the others of that name. Returns the environment variables for that. */
export function fakeProgram(
  folder: string,
  name: string,
  text: string,
  { PATH }: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const place = join(folder, "programs");
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, name), text, { mode: 0o755 });
  return { PATH: `${place}:${PATH}` };
}

function startNode(words: readonly string[], place: { cwd: string; env: NodeJS.ProcessEnv }): Started {
  const child = spawn(process.execPath, words, { ...place, stdio: ["ignore", "pipe", "pipe"] });
  const said = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].setEncoding("utf8").on("data", (part: string) => (said[stream] += part));
  return {
    pid: child.pid!,
    stderr: () => said.stderr,
    kill: (signal) => void child.kill(signal),
    ended: new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code, signal) => resolve({ ...said, status: code ?? 128 + constants.signals[signal!] }));
    }),
  };
}

function isProgram({ args }: RunningProcess, name: string): boolean {
  return args.some((arg) => arg.endsWith(name));
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}

function shardsIn(dir: string): string[] {
  return namesIn(dir).filter((name) => /^split\.\d+$/.test(name));
}

/** Every output of a run by its name: what each shard holds but for the notes on who made it, and what was merged. */
function filesOf(dir: string): Record<string, string> {
  const names = [
    "records.jsonl",
    ...shardsIn(dir).flatMap((shard) => namesIn(join(dir, shard)).map((name) => join(shard, name))),
  ];
  const outputs = names.filter((name) => !/\/(done|state\.json)$/.test(name)).sort();
  return Object.fromEntries(outputs.map((name) => [name, readFileSync(join(dir, name), "utf8")]));
}

function logsOf(folder: string): string {
  return namesIn(folder)
    .map((name) => `--- ${name}\n${readFileSync(join(folder, name), "utf8").slice(-1500)}`)
    .join("\n");
}
