import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { jobLogName } from "../../run-folder/files/log-names.ts";
import { makeFolderInRun } from "../../run-folder/files/run-files.ts";
import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import type { Submission } from "../../run-folder/jobs/job-records.ts";
import { describeCaller } from "../../run-folder/run/describe-caller.ts";
import { entryUrl } from "../../runtime/entry-url.ts";
import { inheritedArguments } from "../../runtime/inherited-arguments.ts";
import type { JobOptions } from "./job-options.ts";
import type { Job, Scheduler } from "./scheduler.ts";

/** Describes a job, ready to be submitted. */
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

/** The record of a submission, for its tasks and for later drivers. */
export function submissionOf({ name, tasks, options }: Job, { env, placeOptions = [] }: Scheduler): Submission {
  const { processes, walltimeSeconds, graceSeconds, threadsPerWorker, maxHeapMb, logDirectory } = options;
  const usedPlaceOptions = Object.fromEntries(
    Object.entries(options.schedulerOptions).filter(([key]) => placeOptions.includes(key)),
  );
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
    own: usedPlaceOptions,
    logDirectory: logDirectory === undefined ? undefined : resolve(logDirectory),
    by: describeCaller(),
  };
}

/** Makes the folder for the output of jobs: if it is missing, a scheduler fails the job without a message. */
export function makeLogFolder(paths: RunPaths, options: JobOptions): void {
  if (options.logDirectory === undefined) makeFolderInRun(paths.root, paths.logs);
  else mkdirSync(resolve(options.logDirectory), { recursive: true });
}

function logFolder(paths: RunPaths, { logDirectory }: JobOptions): string {
  return logDirectory === undefined ? paths.logs : resolve(logDirectory);
}

function randomKey(): string {
  return Math.floor(Math.random() * 36 ** 6)
    .toString(36)
    .padStart(6, "0");
}
