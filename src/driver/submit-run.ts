import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { DetachedJob, SubmittedRun } from "../contract/task.ts";
import { chooseLauncher } from "../launchers/choose-launcher.ts";
import { submitLocal } from "../launchers/local/submit-local.ts";
import { collectItems } from "../plan/collect-items.ts";
import { readIfPresent, writeFileAtomic } from "../run-folder/files/durable-files.ts";
import { type RunPaths, runPaths } from "../run-folder/files/run-paths.ts";
import { storeError } from "../run-folder/files/store-trouble.ts";
import { writeJobQueueStatus } from "../run-folder/jobs/job-queue-status.ts";
import { formatJobSpec } from "../run-folder/jobs/job-spec.ts";
import { scanShards } from "../run-folder/run/scan-shards.ts";
import { openRun } from "./open-run.ts";
import { requireSendable } from "./require-sendable.ts";
import type { RunRequest } from "./run-request.ts";

/** Plans a run and hands it to workers that finish without this process. */
export async function submitRun(request: RunRequest<unknown>): Promise<SubmittedRun> {
  const { runDir, parallel, task } = request;
  const { asyncSpecsDir, work } = task.options;
  const launcher = await chooseLauncher(parallel);
  launcher.check(parallel);
  requireSendable(request);
  const paths = runPaths(runDir);
  try {
    const plan = openRun(paths, await collectItems(request.items), request);
    const { committed } = await scanShards(paths, new Map(), plan);
    const pending = plan.shardCount - committed.size;
    // A complete run that was never merged needs a worker that merges it.
    const order = { runDir, parallel, pending: Math.max(1, pending) };
    const jobs = launcher.kind === "queued" ? await launcher.submit(order) : [await submitLocal(order)];
    if (launcher.kind === "queued") {
      const tasks = jobs.reduce((sum, job) => sum + job.tasks, 0);
      writeJobQueueStatus(paths, { env: parallel.env, pending: tasks, running: 0, lost: 0 });
    }
    return { runDir, jobs, specs: writeSpecs(paths, jobs, asyncSpecsDir), resultDir: work.resultDir };
  } catch (error) {
    throw storeError(error);
  }
}

/** One file for each task: all that is needed to start it by hand, with `millrace worker FILE`. */
function writeSpecs(paths: RunPaths, jobs: readonly DetachedJob[], specsDir: string | undefined): string[] {
  if (specsDir === undefined) return [];
  mkdirSync(specsDir, { recursive: true });
  // As it is on disk, where values of the environment are expressions.
  const spec: unknown = JSON.parse(readIfPresent(paths.spec)!);
  return jobs.flatMap(({ tasks, workers, ...job }) =>
    Array.from({ length: tasks }, (_, task) => {
      const path = join(specsDir, `${job.name}.${task}.json`);
      const text = formatJobSpec({ ...job, task, tasks, workers: workers / tasks }, spec);
      writeFileAtomic(path, text, { isDurable: true, mode: 0o600 });
      return path;
    }),
  );
}
