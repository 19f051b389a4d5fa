import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { DetachedJob } from "../../contract/task.ts";
import { jobLogName } from "../../run-folder/files/log-names.ts";
import { makeFolderInRun, openToAppendInRun } from "../../run-folder/files/run-files.ts";
import { runPaths } from "../../run-folder/files/run-paths.ts";
import { type Submission, writeSubmission } from "../../run-folder/jobs/job-records.ts";
import { describeCaller } from "../../run-folder/run/describe-caller.ts";
import { isAnyWorkerAlive } from "../../run-folder/run/run-status.ts";
import { entryUrl } from "../../runtime/entry-url.ts";
import { inheritedArguments } from "../../runtime/inherited-arguments.ts";
import { sleep } from "../../runtime/sleep.ts";
import { newWorkerName } from "../../worker/session.ts";
import type { SubmitRequest } from "../launcher.ts";
import { findGpus } from "./find-gpus.ts";

const pollEveryMs = 50;
// The maximum wait for the first worker, on a busy machine.
const maxStartMs = 30_000;

/**
 * Starts a job on this machine that needs no driver: the same program that a scheduler would run. Returns when a worker
 * has registered: before that, `status` and `attach` would call the run stopped.
 */
export async function submitLocal({ runDir, parallel, pending }: SubmitRequest): Promise<DetachedJob> {
  const { env, nWorkers, options } = parallel;
  const paths = runPaths(runDir);
  const name = `${env.replace("_", "-")}-${newWorkerName().slice(0, 6)}`;
  const count = (value: unknown) => (typeof value === "number" ? value : undefined);
  const submission: Submission = {
    version: 1,
    name,
    env,
    tasks: 1,
    processes: env === "local" ? 1 : Math.min(nWorkers, pending),
    graceSeconds: 0,
    threadsPerWorker: count(options["threads_per_worker"]),
    maxHeapMb: count(options["max_heap_mb"]),
    by: describeCaller(),
  };
  writeSubmission(paths, submission);
  makeFolderInRun(paths.root, paths.logs);
  const log = openToAppendInRun(paths.root, paths.log(`${jobLogName(name)}.0`));
  const program = fileURLToPath(entryUrl("job-process.js"));
  const child = spawn(process.execPath, [...inheritedArguments(process.execArgv), program, paths.root, name], {
    detached: true,
    stdio: ["ignore", log, log],
    env: env === "local_gpu" ? { ...process.env, CUDA_VISIBLE_DEVICES: findGpus().join(",") } : process.env,
  });
  closeSync(log);
  const id = String(child.pid);
  writeSubmission(paths, { ...submission, id });
  let [hasEnded, failure]: [boolean, Error | undefined] = [false, undefined];
  child.once("error", (error) => ([hasEnded, failure] = [true, error]));
  child.once("exit", () => (hasEnded = true));
  const untilMs = performance.now() + maxStartMs;
  while (!hasEnded && performance.now() < untilMs && !isAnyWorkerAlive(paths)) await sleep(pollEveryMs);
  if (failure !== undefined) throw failure;
  child.unref();
  return { env, name, id, tasks: 1, workers: submission.processes, runDir };
}
