import { isFolderOwned } from "../files/file-owner.ts";
import { type RunPaths, runPaths } from "../files/run-paths.ts";
import { existsSync } from "../files/store-calls.ts";
import { parseReport, type WorkerReport } from "../files/worker-report.ts";
import { type JobQueueStatus, type ObservedJobs, readJobQueueStatus } from "../jobs/job-queue-status.ts";
import { hostNameOf, isHeld, ttlBeforeHeartbeatMs } from "../lease/lease.ts";
import { isKnownDead } from "../lease/process-identity.ts";
import { fileSystemNow, readSnapshot } from "../lease/take-file-step.ts";
import type { KnownShard } from "../shard/known-shard.ts";
import { type CallCounts, callCountsOf, sumCallCounts } from "./call-counts.ts";
import { describeFailure, type RunFailure } from "./last-failure.ts";
import { requireManifest } from "./manifest.ts";
import type { RunState } from "./run-state.ts";
import { namesIn, scanShards } from "./scan-shards.ts";
import { whyStalled } from "./why-stalled.ts";

/** The status of a worker, from its report. */
export interface WorkerStatus {
  readonly worker: string;
  readonly host: string;
  readonly pid: number;
  /** The current shard, if any, and how many of its items are done. */
  readonly shard: number | undefined;
  readonly position: number;
  readonly itemsPerSecond: number;
  /** Bytes of memory its process holds; undefined until it has reported them. */
  readonly rss: number | undefined;
  /** Its calls of `forward`; absent if it makes them one after another. */
  readonly calls?: CallCounts;
  /** Milliseconds since its last heartbeat. */
  readonly heartbeatAgeMs: number;
}

/** The status of a run. All displays of progress read only this. */
export interface RunStatus {
  readonly runDir: string;
  readonly state: RunState;
  /** The error that ended the last start; undefined if none did, and while a worker or a driver is alive. */
  readonly failure: RunFailure | undefined;
  /** Why it is `stalled`, in words; absent in every other state. */
  readonly stalled?: string;
  /** The status of its jobs at the last call of their scheduler; undefined for a run without jobs. */
  readonly jobs: JobQueueStatus | undefined;
  /**
   * Records of jobs that are invalid or for which the scheduler is not asked, and why. Absent if there are none, or
   * none were read.
   */
  readonly jobProblems?: readonly string[];
  readonly items: {
    readonly total: number;
    readonly done: number;
    readonly written: number;
    readonly dropped: number;
    readonly failed: number;
  };
  readonly shards: { readonly total: number; readonly committed: number; readonly damaged: number };
  readonly workers: readonly WorkerStatus[];
  /** The calls of all workers, and what they wait for; absent if each worker makes one after another. */
  readonly calls?: CallCounts;
  readonly itemsPerSecond: number;
  /** Seconds until the last item at the current rate; undefined while no worker is alive. */
  readonly etaSeconds: number | undefined;
}

/** Reads the state of the run in a folder, from any host that sees it, without disturbing the run. */
export async function runStatus(runDir: string): Promise<RunStatus> {
  return (await openStatus(runDir)).read();
}

/**
 * Opens the status of a run for repeated reads: shards that were found committed are not inspected again. `seen`: the
 * answer of a scheduler.
 */
export async function openStatus(runDir: string): Promise<{ read(seen?: ObservedJobs): Promise<RunStatus> }> {
  const paths = runPaths(runDir);
  const { plan } = requireManifest(paths);
  let known: ReadonlyMap<number, KnownShard> = new Map();
  return {
    async read(seen) {
      // Before the shards: a process that commits the last of them and leaves in between would seem to have left it undone.
      const reports = workerReports(paths, fileSystemClock(paths, { isReadOnly: true }));
      const { live } = reports;
      const { committed, damaged } = await scanShards(paths, known, plan);
      known = committed;
      const workers = live.map(({ report }) => report);
      const items = countItems(committed, workers, plan.items.count);
      const jobs = readJobQueueStatus(paths, seen);
      const itemsPerSecond = workers.reduce((sum, worker) => sum + worker.itemsPerSecond, 0);
      const calls = sumCallCounts(workers);
      const left = items.total - items.done;
      return {
        runDir: paths.root,
        ...stateOf(paths, { left, failed: items.failed, jobs, reports }),
        jobs,
        ...(seen === undefined || seen.problems.length === 0 ? {} : { jobProblems: seen.problems }),
        items,
        shards: { total: plan.shardCount, committed: committed.size, damaged: damaged.size },
        workers: live.filter(({ report }) => report.role !== "driver").map(describeWorker),
        ...(calls === undefined ? {} : { calls }),
        itemsPerSecond,
        etaSeconds: itemsPerSecond > 0 ? left / itemsPerSecond : undefined,
      };
    },
  };
}

interface RunFacts {
  /** Items that are not done. */
  readonly left: number;
  /** Items that failed and were skipped. */
  readonly failed: number;
  readonly jobs: JobQueueStatus | undefined;
  readonly reports: WorkerReports;
}

/** The state of a run, from its open shards, its live processes and its last error. */
export function stateOf(
  paths: RunPaths,
  { left, failed, jobs, reports }: RunFacts,
): Pick<RunStatus, "state" | "failure" | "stalled"> {
  const isAnyProcessAlive = reports.live.length > 0;
  const failure = isAnyProcessAlive ? undefined : describeFailure(paths);
  if (left === 0 && existsSync(paths.merged))
    return { state: failed > 0 ? "complete with failures" : "complete", failure };
  if (isAnyProcessAlive) {
    const stalled = left === 0 || (jobs?.pending ?? 0) > 0 ? undefined : whyStalled(reports);
    return stalled === undefined ? { state: "running", failure } : { state: "stalled", failure, stalled };
  }
  if (jobs !== undefined && jobs.pending + jobs.running > 0) return { state: "queued", failure: undefined };
  return { state: failure === undefined ? "stopped" : "failed", failure };
}

/**
 * The live drivers of a run by name, with the time of their last report by the clock of the file system. Drivers that
 * do not renew their report are left out: whether they are alive could not be known on another host.
 */
export function liveDrivers(paths: RunPaths): Map<string, number> {
  const drivers = liveReports(paths, fileSystemClock(paths)).filter(
    ({ report }) => report.role === "driver" && report.ttlMs < ttlBeforeHeartbeatMs,
  );
  return new Map(drivers.map(({ report, writtenMs }) => [report.worker, writtenMs]));
}

/** Whether any worker is alive. Drivers do not count. */
export function isAnyWorkerAlive(paths: RunPaths): boolean {
  return liveReports(paths, fileSystemClock(paths)).some(({ report }) => report.role !== "driver");
}

/** A live worker or driver, and how long ago its last heartbeat was. */
export interface LiveReport {
  readonly report: WorkerReport;
  readonly ageMs: number;
  /** The time of that heartbeat, by the clock of the file system. */
  readonly writtenMs: number;
}

/** The reports of all workers and drivers of a run whose end is not known. */
export interface WorkerReports {
  readonly live: readonly LiveReport[];
  /** Those of which nothing was heard for longer than a lease lives. */
  readonly silent: readonly LiveReport[];
}

/** The reports of all live workers and drivers of a run. `now`: the time by the clock of its file system. */
export function liveReports(paths: RunPaths, now: () => number): readonly LiveReport[] {
  return workerReports(paths, now).live;
}

/** The same, and those that are silent. */
export function workerReports(paths: RunPaths, now: () => number): WorkerReports {
  const [live, silent]: [LiveReport[], LiveReport[]] = [[], []];
  for (const name of namesIn(paths.workers)) {
    const snapshot = readSnapshot(paths.worker(name.replace(/\.json$/, "")), now);
    const report = snapshot === undefined ? undefined : parseReport(snapshot.text);
    if (snapshot === undefined || report === undefined) continue;
    const isThere = isHeld(snapshot, { ttlMs: report.ttlMs });
    if (!isThere && isKnownDead(report)) continue;
    (isThere ? live : silent).push({ report, ageMs: snapshot.ageMs, writtenMs: snapshot.writtenMs ?? 0 });
  }
  return { live, silent };
}

/**
 * The clock of a run's file system. It is read once, at the first call, because reading it creates a file. A user who
 * may not write gets the clock of this host, which is good enough for a display.
 */
export function fileSystemClock(
  paths: RunPaths,
  { isReadOnly = false }: { readonly isReadOnly?: boolean } = {},
): () => number {
  let offsetMs: number | undefined;
  return () => {
    offsetMs ??= measure();
    return Date.now() + offsetMs;
  };

  function measure(): number {
    // Reading the run of another user must not create a file there, not even for a moment.
    if (isReadOnly && !isFolderOwned(paths.leases)) return 0;
    try {
      return fileSystemNow(paths) - Date.now();
    } catch {
      return 0;
    }
  }
}

function countItems(
  committed: ReadonlyMap<number, KnownShard>,
  workers: readonly WorkerReport[],
  total: number,
): RunStatus["items"] {
  const sum = { total, done: 0, written: 0, dropped: 0, failed: 0 };
  for (const { counts } of committed.values()) {
    sum.done += counts.items;
    sum.written += counts.written;
    sum.dropped += counts.dropped;
    sum.failed += counts.failed;
  }
  for (const { shard, position } of workers) if (shard >= 0 && !committed.has(shard)) sum.done += position;
  return sum;
}

/** The public part of a report. */
export function describeWorker({ report, ageMs }: LiveReport): WorkerStatus {
  const { worker, pid, shard, position, itemsPerSecond, rss } = report;
  const calls = callCountsOf(report);
  return {
    worker,
    host: hostNameOf(report),
    pid,
    shard: shard < 0 ? undefined : shard,
    position,
    itemsPerSecond,
    rss,
    ...(calls === undefined ? {} : { calls }),
    heartbeatAgeMs: Math.max(0, Math.round(ageMs)),
  };
}
