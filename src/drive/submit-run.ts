import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chooseLauncher } from "../launchers/choose-launcher.ts";
import type { DetachedJob } from "../launchers/launcher.ts";
import { submitLocal } from "../launchers/submit-local.ts";
import { collectItems } from "../plan/collect-items.ts";
import { replaceFile, storeError } from "../store/durable-files.ts";
import { writeJobSight } from "../store/job-sight.ts";
import { runPaths } from "../store/run-paths.ts";
import { scanShards } from "../store/scan-shards.ts";
import { openRun } from "./open-run.ts";
import type { RunRequest } from "./run-request.ts";

/** A run whose workers go on alone. */
export interface SubmittedRun {
  readonly runDir: string;
  /** None where all shards were committed already. */
  readonly jobs: readonly DetachedJob[];
  /** The files in `asyncSpecsDir`, one for each task of a job. */
  readonly specs: readonly string[];
  readonly resultDir: string | undefined;
}

/** Plans a run and hands it to workers that need nobody. */
export async function submitRun(
  request: RunRequest<unknown>,
  { specsDir }: { readonly specsDir: string | undefined },
): Promise<SubmittedRun> {
  const { runDir, parallel, work } = request;
  const launcher = await chooseLauncher(parallel);
  launcher.check(parallel);
  request.requireSendable();
  const paths = runPaths(runDir);
  try {
    const plan = openRun(paths, await collectItems(request.items), request);
    const { committed } = await scanShards(paths);
    const pending = plan.shardCount - committed.size;
    // A run that is complete but was never merged needs someone to do that.
    const order = { runDir, parallel, pending: Math.max(1, pending) };
    const jobs = (await launcher.submit?.(order)) ?? [submitLocal(order)];
    if (launcher.isRemote) {
      const tasks = jobs.reduce((sum, job) => sum + job.tasks, 0);
      writeJobSight(paths, { env: parallel.env, pending: tasks, running: 0, lost: 0 });
    }
    return { runDir, jobs, specs: writeSpecs(jobs, specsDir), resultDir: work.resultDir };
  } catch (error) {
    throw storeError(error);
  }
}

function writeSpecs(jobs: readonly DetachedJob[], specsDir: string | undefined): string[] {
  if (specsDir === undefined) return [];
  mkdirSync(specsDir, { recursive: true });
  return jobs.flatMap(({ tasks, workers, ...job }) =>
    Array.from({ length: tasks }, (_, task) => {
      const path = join(specsDir, `${job.name}.${task}.json`);
      replaceFile(path, `${JSON.stringify({ ...job, task, workers: workers / tasks }, null, 1)}\n`);
      return path;
    }),
  );
}
