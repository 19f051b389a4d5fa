import { hostname } from "node:os";
import { chooseScheduler } from "../launchers/choose-scheduler.ts";
import { callProgram } from "../launchers/jobs/call-program.ts";
import type { Scheduler } from "../launchers/jobs/scheduler.ts";
import { devicesOfMask } from "../launchers/local/devices-of-mask.ts";
import { openProcessPool } from "../launchers/local/process-pool.ts";
import { supervise } from "../launchers/local/supervise.ts";
import { threadVariables } from "../launchers/local/thread-variables.ts";
import { type RunPaths, runPaths } from "../run-folder/files/run-paths.ts";
import {
  beginTaskReport,
  type OpenTaskReport,
  readSubmission,
  type Submission,
} from "../run-folder/jobs/job-records.ts";
import { writeFailure } from "../run-folder/run/last-failure.ts";
import { requireManifest } from "../run-folder/run/manifest.ts";
import { readSpec } from "../run-folder/run/run-spec.ts";
import { scanShards } from "../run-folder/run/scan-shards.ts";
import { isEndOrdered, orderStop } from "../run-folder/run/stop-order.ts";
import { ignoreErrors } from "../runtime/ignore-errors.ts";
import { readable } from "../text/readable.ts";
import { jobVariable } from "../worker/job-variable.ts";
import { deadlineVariable } from "../worker/shard/deadline.ts";
import { findDeadline } from "./find-deadline.ts";
import { hasLiveDriver } from "./has-live-driver.ts";
import { jobStop } from "./job-stop.ts";
import { mergeWithoutDriver } from "./merge-without-driver.ts";

const askTimeoutMs = 20_000;

/** The arguments of a job. */
export interface JobOrder {
  readonly runDir: string;
  /** The submission it belongs to. */
  readonly name: string;
  readonly task: number | undefined;
  /** Whether it leaves when its standard input ends. */
  readonly isAttached: boolean;
}

/**
 * Runs a job: keeps its workers running until the run is complete or its time is up. Without a driver it also merges
 * the complete run, and asks the scheduler to run it again when its time is up. Returns the exit code.
 */
export async function runJob({ runDir, name, task: given, isAttached }: JobOrder): Promise<number> {
  const paths = runPaths(runDir);
  const submission = readSubmission(paths, name);
  if (submission.isUnwanted) return printTooLate(submission);
  const scheduler = chooseScheduler(submission.env);
  const task = given ?? taskOf(scheduler, process.env);
  const node = process.env[scheduler?.nodeVariable ?? ""] ?? hostname();
  const report = beginTaskReport(paths, { name, task, node });
  const stop = jobStop({ isAttached });
  try {
    // The run was ordered to end while the job was pending.
    if (isEndOrdered(paths)) {
      report.end("left");
      return 0;
    }
    chdirToRunCwd(paths);
    const deadlineMs = await findDeadline(scheduler, submission);
    stop.at(deadlineMs);
    await work(paths, submission, { task, report, deadlineMs, stop });
    if (await isComplete(paths)) {
      if (!(await hasLiveDriver(paths))) await mergeWithoutDriver(paths);
      report.end("complete");
      return 0;
    }
    // Workers also leave if the rest of the time is too short for an item.
    const isTimeUp = stop.isTimeUp() || (deadlineMs !== undefined && !stop.leave.aborted);
    if (isEndOrdered(paths)) {
      report.end("left");
      return 0;
    }
    if (!isTimeUp) {
      const code = stop.leave.aborted ? scheduler?.leavingCode : undefined;
      report.end("left", { isRequeued: code !== undefined });
      return code ?? 0;
    }
    const again = (await isRequeueUseful(paths, report)) ? await requeueJob(scheduler) : undefined;
    report.end("deadline", { isRequeued: again !== undefined });
    return again ?? 0;
  } catch (error) {
    // Before a worker was ready, the node may be the cause: a driver starts another job. After that, the run itself fails.
    if (report.wasReady()) orderStop(paths, error);
    if (report.wasReady() || !(await hasLiveDriver(paths))) ignoreErrors(() => writeFailure(paths, error));
    report.end("failed", { error });
    throw error;
  } finally {
    stop.dispose();
  }
}

/** Prints that the scheduler made the submission after others had replaced it: the job is not needed. */
function printTooLate({ name }: Submission): number {
  process.stderr.write(`millrace: ${name} was submitted late, and other jobs have replaced it: it leaves\n`);
  return 0;
}

/** Whether the job should run again: not if a driver replaces it, and not if the time was too short to start a worker. */
async function isRequeueUseful(paths: RunPaths, report: OpenTaskReport): Promise<boolean> {
  if (await hasLiveDriver(paths)) return false;
  if (!report.wasReady())
    process.stderr.write("millrace: the time of the job was up before a worker was ready: give it more walltime\n");
  return report.wasReady();
}

interface JobWork {
  /** The number of this task in the submission. */
  readonly task: number;
  readonly report: OpenTaskReport;
  readonly deadlineMs: number | undefined;
  readonly stop: ReturnType<typeof jobStop>;
}

async function work(
  paths: RunPaths,
  { name, tasks, processes, threadsPerWorker, maxHeapMb }: Submission,
  { task, report, deadlineMs, stop }: JobWork,
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
    workers: tasks * processes,
    firstWorker: task * processes,
    variables: (slot) => ({ ...shared, ...devices(slot) }),
    // A worker that is ready after the deadline begins no item, so it does not count as ready.
    onReady: () => {
      if (!stop.isTimeUp()) report.ready();
    },
  });
  try {
    await supervise({ paths, stop, slots: processes }, pool.start);
  } finally {
    pool.close();
  }
}

/** If the scheduler assigned devices to a job with several workers, each worker sees one device. */
function devicesFor(processes: number): (slot: number) => Readonly<Record<string, string>> {
  const devices = devicesOfMask(process.env["CUDA_VISIBLE_DEVICES"] ?? "");
  // A mask that hides all devices applies to all workers unchanged.
  if (devices.length === 0 || processes === 1) return () => ({});
  return (slot) => ({ CUDA_VISIBLE_DEVICES: devices[slot % devices.length]! });
}

function taskOf(scheduler: Scheduler | undefined, environment: NodeJS.ProcessEnv): number {
  const number = Number(environment[scheduler?.taskVariable ?? ""]);
  return Number.isSafeInteger(number) ? Math.max(0, number - scheduler!.firstTask) : 0;
}

// Relative paths in the config and packages are resolved from that folder.
function chdirToRunCwd(paths: RunPaths): void {
  const { cwd } = readSpec(paths);
  try {
    process.chdir(cwd);
  } catch {
    process.stderr.write(`millrace: the run was started in ${readable(cwd)}, which is not on this host\n`);
  }
}

async function isComplete(paths: RunPaths): Promise<boolean> {
  const { plan } = requireManifest(paths);
  return (await scanShards(paths, new Map(), plan)).committed.size >= plan.shardCount;
}

/** Asks the scheduler to run this job again, if it can. Returns the exit code with which to end. */
async function requeueJob(scheduler: Scheduler | undefined): Promise<number | undefined> {
  const way = scheduler?.requeue?.(process.env);
  if (way === undefined) return undefined;
  if ("exitCode" in way) return way.exitCode;
  // The scheduler may end this process before the call returns.
  const answer = await callProgram(way.call, { timeoutMs: askTimeoutMs });
  if (answer.kind === "answer") return 0;
  process.stderr.write(`millrace: the job could not be queued again: ${answer.why}\n`);
  return undefined;
}
