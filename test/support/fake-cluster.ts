import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ParallelInput, RunnerOptions } from "millrace";
import { afterAll } from "vitest";
import { type Ended, ended } from "./ended.ts";
import { removeFolder } from "./remove-folder.ts";

const program = fileURLToPath(new URL("../fixtures/children/cluster-run.mjs", import.meta.url));
const cli = fileURLToPath(new URL("../../dist/cli/millrace.js", import.meta.url));

type Variables = Readonly<Record<string, string>>;

/** A cluster of fakes of its own, and one run on it that is started and looked at as users do. */
export interface FakeClusterRun {
  readonly outputDir: string;
  readonly folder: string;
  /** Starts the run, or submits it; the variables are for this process, and the fakes it calls, alone. */
  start(act: "run" | "submit", more?: { itemMs?: number; variables?: Variables }): Promise<Ended>;
  millrace(words: readonly string[], variables?: Variables): Promise<Ended>;
  /** What the fakes know: the tasks of each submission by state. */
  submissions(): { readonly id: string; readonly states: readonly string[] }[];
  /** How many workers have built their env so far. */
  workersBuilt(): number;
  /** The records of submissions in the run folder. */
  records(): Record<string, unknown>[];
}

/** Makes one; it is gone after the file's tests, and with it all its tasks. */
export function fakeClusterRun(
  env: NonNullable<ParallelInput["env"]>,
  {
    options = {},
    workers = 2,
    items = 40,
    variables = {},
  }: { options?: Readonly<Record<string, unknown>>; workers?: number; items?: number; variables?: Variables } = {},
): FakeClusterRun {
  const folder = mkdtempSync(join(tmpdir(), "millrace-fake-"));
  folders.push(folder);
  for (const name of ["cluster", "notes"]) mkdirSync(join(folder, name));
  const fakes = fileURLToPath(new URL(`../fixtures/fakes/on-path/${env}`, import.meta.url));
  const environment = {
    ...process.env,
    FAKE_CLUSTER: join(folder, "cluster"),
    FAKE_REQUEUE_AFTER_S: "0",
    PATH: [...(existsSync(fakes) ? [fakes] : []), process.env["PATH"]].join(delimiter),
    ...variables,
  };
  const outputDir = join(folder, "run");
  const call = (args: readonly string[], more: Variables = {}) =>
    ended(spawn(process.execPath, args, { env: { ...environment, ...more }, stdio: ["ignore", "pipe", "pipe"] }));
  return {
    outputDir,
    folder,
    start(act, { itemMs = 0, variables: more } = {}) {
      const runner: RunnerOptions & { readonly asyncMode: boolean } = {
        outputDir,
        acceptChange: true,
        leaseTtl: 3000,
        shards: 10,
        asyncMode: act === "submit",
        parallel: { env, n_workers: workers, options },
      };
      const order = { count: items, act, config: { notes: join(folder, "notes"), itemMs }, options: runner };
      return call([program, JSON.stringify(order)], more);
    },
    millrace: (words, more) => call([cli, ...words], more),
    submissions() {
      const jobs = join(folder, "cluster", "jobs");
      return (existsSync(jobs) ? readdirSync(jobs) : []).sort().map((id) => ({ id, states: statesOf(join(jobs, id)) }));
    },
    workersBuilt() {
      const notes = join(folder, "notes", "built");
      return existsSync(notes) ? readFileSync(notes, "utf8").trim().split("\n").length : 0;
    },
    records() {
      const jobs = join(outputDir, ".millrace", "jobs");
      return (existsSync(jobs) ? readdirSync(jobs) : [])
        .filter((name) => /^[\w-]+\.json$/.test(name))
        .map((name) => JSON.parse(readFileSync(join(jobs, name), "utf8")) as Record<string, unknown>);
    },
  };
}

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await removeFolder(folder);
});

function statesOf(job: string): string[] {
  const { tasks } = JSON.parse(readFileSync(join(job, "job.json"), "utf8")) as { tasks: number };
  return Array.from({ length: tasks }, (_, task) => {
    const file = join(job, `task-${task}.json`);
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { state: string }).state : "pending";
  });
}
