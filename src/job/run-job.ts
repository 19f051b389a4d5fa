import { hostname } from "node:os";
import { chooseScheduler } from "../launchers/batch/choose-scheduler.ts";
import type { Scheduler } from "../launchers/batch/scheduler.ts";
import { devicesOfMask } from "../launchers/devices-of-mask.ts";
import { openProcessPool } from "../launchers/process-pool.ts";
import { supervise } from "../launchers/supervise.ts";
import { threadVariables } from "../launchers/thread-variables.ts";
import { quietly } from "../shared/quietly.ts";
import { openTaskAccount, readSubmission, type Submission, type TaskAccount } from "../store/job-records.ts";
import { keepFailure } from "../store/last-failure.ts";
import { requireManifest } from "../store/manifest.ts";
import { type RunPaths, runPaths } from "../store/run-paths.ts";
import { readSpec } from "../store/run-spec.ts";
import { scanShards } from "../store/scan-shards.ts";
import { isEndOrdered, orderStop } from "../store/stop-order.ts";
import { deadlineVariable } from "../worker/deadline.ts";
import { jobVariable } from "../worker/job-variable.ts";
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
  if (submission.isUnwanted) return tooLate(submission);
  const scheduler = chooseScheduler(submission.env);
  const task = given ?? taskOf(scheduler, process.env);
  const node = process.env[scheduler?.nodeVariable ?? ""] ?? hostname();
  const account = openTaskAccount(paths, { name, task, node });
  const stop = jobStop({ isAttached });
  try {
    // It has waited at its scheduler while the run was asked to end.
    if (isEndOrdered(paths)) {
      account.end("left");
      return 0;
    }
    goWhereTheRunWasStarted(paths);
    const deadlineMs = await findDeadline(scheduler, submission);
    stop.at(deadlineMs);
    await work(paths, submission, { account, deadlineMs, stop });
    if (await isComplete(paths)) {
      if (!(await isDriven(paths))) await mergeAlone(paths);
      account.end("complete");
      return 0;
    }
    // Workers leave by themselves when what is left of their time is too short for an item.
    const isTimeUp = stop.isTimeUp() || (deadlineMs !== undefined && !stop.leave.aborted);
    if (isEndOrdered(paths)) {
      account.end("left");
      return 0;
    }
    if (!isTimeUp) {
      const code = stop.leave.aborted ? scheduler?.leavingCode : undefined;
      account.end("left", { isRequeued: code !== undefined });
      return code ?? 0;
    }
    const again = (await isWorthAgain(paths, account)) ? await requeueJob(scheduler) : undefined;
    account.end("deadline", { isRequeued: again !== undefined });
    return again ?? 0;
  } catch (error) {
    // Before any worker was ready this node may be at fault, and a driver starts another job; after that it is the run.
    if (account.wasReady()) orderStop(paths, error);
    if (account.wasReady() || !(await isDriven(paths))) quietly(() => keepFailure(paths, error));
    account.end("failed", { error });
    throw error;
  } finally {
    stop.forget();
  }
}

/** Its scheduler took the submission after others were made in its place: beside them it would be one too many. */
function tooLate({ name }: Submission): number {
  process.stderr.write(`millrace: ${name} was submitted late, and others have taken its place: it leaves\n`);
  return 0;
}

/** A driver submits another job itself; and a time that is too short to begin with would be too short again. */
async function isWorthAgain(paths: RunPaths, account: TaskAccount): Promise<boolean> {
  if (await isDriven(paths)) return false;
  if (!account.wasReady())
    process.stderr.write("millrace: the time of the job was up before a worker was ready: give it more walltime\n");
  return account.wasReady();
}

async function work(
  paths: RunPaths,
  { name, processes, threadsPerWorker, maxHeapMb }: Submission,
  {
    account,
    deadlineMs,
    stop,
  }: { account: TaskAccount; deadlineMs: number | undefined; stop: ReturnType<typeof jobStop> },
): Promise<void> {
  const shared = {
    ...threadVariables(processes, threadsPerWorker),
    [jobVariable]: name,
    ...(deadlineMs === undefined ? {} : { [deadlineVariable]: String(Math.floor(deadlineMs)) }),
  };
  const devices = devicesFor(processes);
  const pool = openProcessPool({
    runDir: paths.root,
    maxHeapMb,
    early: 0,
    variables: (slot) => ({ ...shared, ...devices(slot) }),
    // One that is ready too late begins no item: the next job would fare no better.
    onReady: () => {
      if (!stop.isTimeUp()) account.ready();
    },
  });
  try {
    await supervise({ paths, stop, slots: processes }, pool.start);
  } finally {
    pool.close();
  }
}

/** Where the scheduler gave the job devices and there are several workers, each sees one of them. */
function devicesFor(processes: number): (slot: number) => Readonly<Record<string, string>> {
  const devices = devicesOfMask(process.env["CUDA_VISIBLE_DEVICES"] ?? "");
  // A mask that hides them all is for all workers as it stands.
  if (devices.length === 0 || processes === 1) return () => ({});
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
