import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { entryUrl } from "../../shared/entry-url.ts";
import type { Submission } from "../../store/job-records.ts";
import { jobLogName } from "../../store/log-names.ts";
import type { RunPaths } from "../../store/run-paths.ts";
import { inheritedArguments } from "../start-process.ts";
import type { JobOptions } from "./job-options.ts";
import type { Job, Scheduler } from "./scheduler.ts";

/** A job as it would be submitted. */
export function describeJob(
  paths: RunPaths,
  options: JobOptions,
  { tasks, excluded = [] }: { readonly tasks: number; readonly excluded?: readonly string[] },
): Job {
  const name = `${options.jobName}-${randomKey()}`;
  const folder = logFolder(paths, options);
  const program = fileURLToPath(entryUrl("job-process.js"));
  const command = [options.node, ...inheritedArguments(process.execArgv), program, paths.root, name];
  return { name, tasks, options, command, excluded, log: join(folder, jobLogName(name)) };
}

/** What is written down of a job: all that its tasks, and whoever asks for them later, need to know. */
export function submissionOf({ name, tasks, options }: Job, { env, placeOptions = [] }: Scheduler): Submission {
  const { processes, walltimeSeconds, graceSeconds, threadsPerWorker, maxHeapMb, logDirectory } = options;
  const own = Object.fromEntries(Object.entries(options.own).filter(([key]) => placeOptions.includes(key)));
  return {
    version: 1,
    name,
    env,
    tasks,
    processes,
    walltimeSeconds,
    graceSeconds,
    threadsPerWorker,
    maxHeapMb,
    own,
    logDirectory: logDirectory === undefined ? undefined : resolve(logDirectory),
  };
}

/** Makes the folder for the output of jobs: a scheduler that does not find it fails the job without a word. */
export function makeLogFolder(paths: RunPaths, options: JobOptions): void {
  mkdirSync(logFolder(paths, options), { recursive: true });
}

function logFolder(paths: RunPaths, { logDirectory }: JobOptions): string {
  return logDirectory === undefined ? paths.logs : resolve(logDirectory);
}

function randomKey(): string {
  return Math.floor(Math.random() * 36 ** 6)
    .toString(36)
    .padStart(6, "0");
}
