import { hostname } from "node:os";
import { chooseScheduler } from "../launchers/batch/choose-scheduler.ts";
import type { Scheduler } from "../launchers/batch/scheduler.ts";
import { findGpus } from "../launchers/find-gpus.ts";
import { openProcessPool } from "../launchers/process-pool.ts";
import { supervise } from "../launchers/supervise.ts";
import { threadVariables } from "../launchers/thread-variables.ts";
import { openTaskAccount, readSubmission, type Submission, type TaskAccount } from "../store/job-records.ts";
import { requireManifest } from "../store/manifest.ts";
import { type RunPaths, runPaths } from "../store/run-paths.ts";
import { readSpec } from "../store/run-spec.ts";
import { scanShards } from "../store/scan-shards.ts";
import { orderStop } from "../store/stop-order.ts";
import { deadlineVariable } from "../worker/deadline.ts";
import { findDeadline } from "./find-deadline.ts";
import { isDriven } from "./is-driven.ts";
import { jobStop } from "./job-stop.ts";
import { mergeAlone } from "./merge-alone.ts";
import { requeueJob } from "./requeue-job.ts";

/** What a job is told when it is started. */
export interface JobOrder {
  readonly runDir: string;
  /** The submission it belongs to. */
  readonly name: string;
  readonly task: number | undefined;
  /** Whether it is to leave when its input ends. */
  readonly isAttached: boolean;
}

/**
 * What a job does: keeps its workers at work until the run is complete or its time is up. It needs nobody: where no
 * driver watches the run, it merges what it completes and asks to be run again when its time is up. Answers the exit code.
 */
export async function runJob({ runDir, name, task: given, isAttached }: JobOrder): Promise<number> {
  const paths = runPaths(runDir);
  const submission = readSubmission(paths, name);
  const scheduler = chooseScheduler(submission.env);
  const task = given ?? taskOf(scheduler, process.env);
  const node = process.env[scheduler?.nodeVariable ?? ""] ?? hostname();
  const account = openTaskAccount(paths, { name, task, node });
  goWhereTheRunWasStarted(paths);
  const deadlineMs = await findDeadline(scheduler, submission);
  const stop = jobStop(deadlineMs, { isAttached });
  try {
    await work(paths, submission, { account, deadlineMs, stop });
    if (await isComplete(paths)) {
      if (!(await isDriven(paths))) await mergeAlone(paths);
      account.end("complete");
      return 0;
    }
    if (!stop.isTimeUp()) {
      account.end("left");
      return 0;
    }
    const again = (await isDriven(paths)) ? undefined : await requeueJob(scheduler);
    account.end("deadline", { isRequeued: again !== undefined });
    return again ?? 0;
  } catch (error) {
    // Before any worker was ready it may be this node that is at fault; after that it is the run.
    if (account.wasReady()) orderStop(paths, error);
    account.end("failed", { error });
    throw error;
  } finally {
    stop.forget();
  }
}

async function work(
  paths: RunPaths,
  { processes, threadsPerWorker, maxHeapMb }: Submission,
  {
    account,
    deadlineMs,
    stop,
  }: { account: TaskAccount; deadlineMs: number | undefined; stop: ReturnType<typeof jobStop> },
): Promise<void> {
  const shared = {
    ...threadVariables(processes, threadsPerWorker),
    ...(deadlineMs === undefined ? {} : { [deadlineVariable]: String(Math.floor(deadlineMs)) }),
  };
  const devices = devicesFor(processes);
  const pool = openProcessPool({
    runDir: paths.root,
    maxHeapMb,
    early: 0,
    variables: (slot) => ({ ...shared, ...devices(slot) }),
    onReady: account.ready,
  });
  try {
    await supervise({ paths, stop, slots: processes }, pool.start);
  } finally {
    pool.close();
  }
}

/** Where the scheduler gave the job devices and there are several workers, each sees one of them. */
function devicesFor(processes: number): (slot: number) => Readonly<Record<string, string>> {
  const mask = process.env["CUDA_VISIBLE_DEVICES"];
  if (mask === undefined || mask === "" || processes === 1) return () => ({});
  const devices = findGpus();
  return (slot) => ({ CUDA_VISIBLE_DEVICES: devices[slot % devices.length]! });
}

function taskOf(scheduler: Scheduler | undefined, environment: NodeJS.ProcessEnv): number {
  const number = Number(environment[scheduler?.taskVariable ?? ""]);
  return Number.isSafeInteger(number) ? Math.max(0, number - scheduler!.firstTask) : 0;
}

// Relative paths in the config, and packages, are found from there.
function goWhereTheRunWasStarted(paths: RunPaths): void {
  const { cwd } = readSpec(paths);
  try {
    process.chdir(cwd);
  } catch {
    process.stderr.write(`millrace: the run was started in ${cwd}, which is not on this host\n`);
  }
}

async function isComplete(paths: RunPaths): Promise<boolean> {
  const { plan } = requireManifest(paths);
  return (await scanShards(paths)).committed.size >= plan.shardCount;
}
