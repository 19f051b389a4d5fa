import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { entryUrl } from "../shared/entry-url.ts";
import { type Submission, writeSubmission } from "../store/job-records.ts";
import { jobLogName } from "../store/log-names.ts";
import { runPaths } from "../store/run-paths.ts";
import { newWorkerName } from "../worker/session.ts";
import { findGpus } from "./find-gpus.ts";
import type { DetachedJob, SubmitRequest } from "./launcher.ts";
import { inheritedArguments } from "./start-process.ts";

/** Starts a job of this machine that needs nobody: the same program that a scheduler would run. */
export function submitLocal({ runDir, parallel, pending }: SubmitRequest): DetachedJob {
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
  };
  writeSubmission(paths, submission);
  mkdirSync(paths.logs, { recursive: true });
  const log = openSync(paths.log(`${jobLogName(name)}.0`), "a");
  const program = fileURLToPath(entryUrl("job-process.js"));
  const child = spawn(process.execPath, [...inheritedArguments(process.execArgv), program, paths.root, name], {
    detached: true,
    stdio: ["ignore", log, log],
    env: env === "local_gpu" ? { ...process.env, CUDA_VISIBLE_DEVICES: findGpus().join(",") } : process.env,
  });
  closeSync(log);
  child.unref();
  const id = String(child.pid);
  writeSubmission(paths, { ...submission, id });
  return { env, name, id, tasks: 1, workers: submission.processes, runDir };
}
