import { MillraceError } from "../../errors/errors.ts";
import { type RunPaths, runPaths } from "../../run-folder/files/run-paths.ts";
import { removeJobQueueStatus, writeJobQueueStatus } from "../../run-folder/jobs/job-queue-status.ts";
import type { Submission } from "../../run-folder/jobs/job-records.ts";
import { isAnyWorkerAlive } from "../../run-folder/run/run-status.ts";
import { isDrainOrdered, isEndOrdered, isStopOrdered, orderStop, stopReason } from "../../run-folder/run/stop-order.ts";
import type { KnownShard } from "../../run-folder/shard/known-shard.ts";
import { sleep } from "../../runtime/sleep.ts";
import { findCommitted } from "../../worker/find-committed.ts";
import type { LaunchRequest, StopRequests } from "../launcher.ts";
import { type JobOptions, jobsFor } from "./job-options.ts";
import type { JobQueue } from "./job-queue.ts";
import { jobReplacementPolicy } from "./job-replacement-policy.ts";
import { pollWith, within } from "./poll-with.ts";
import type { Scheduler } from "./scheduler.ts";
import { topUpJobs } from "./top-up-jobs.ts";
import { type JobWatch, watchJobs } from "./watch-jobs.ts";

/** What `driveJobs` needs to know about the place where jobs run. */
interface JobSite extends Pick<Scheduler, "env" | "title" | "canExclude"> {
  /** Jobs continue without this process. */
  readonly outlivesDriver: boolean;
}

export interface DrivenJobs {
  readonly site: JobSite;
  readonly queue: JobQueue;
  readonly options: Pick<JobOptions, "processes" | "resubmits" | "pollSeconds">;
}

// The run folder is read often, which is cheap. The scheduler serves many users, so it is asked less and less often.
const checkEveryMs = 250;
const firstPollMs = 1000;
// How long jobs with nothing left to do may take to end.
const endGraceMs = 10_000;
// The driver waits at most this long for jobs without a live worker (their node may be lost) and for a scheduler that hangs.
const silentMs = 2000;
// After the first Ctrl-C, a second one within this time cancels the jobs.
const choiceMs = 3000;
// While the driver waits for jobs to leave, it asks the scheduler at least this often.
const drainPollMs = 5000;

/** Keeps the jobs running that a run needs, until it is complete. Returns the committed shards. */
export async function driveJobs(
  request: LaunchRequest,
  { site, queue, options }: DrivenJobs,
): Promise<ReadonlyMap<number, KnownShard>> {
  const { worker, stop, parallel } = request;
  const { retry } = worker.task.options;
  const paths = runPaths(request.runDir);
  const watch = watchJobs(paths, queue, site);
  const jobs = { paths, queue, watch };
  const replacement = jobReplacementPolicy(paths, { queue, watch, site, options });
  await topUpJobs(jobs, jobsNeeded(request.pending));

  let committed: ReadonlyMap<number, KnownShard> = new Map();
  let open = request.pending;
  let wasSilent = false;
  let isRetried = false;
  const poll = pollWith(async () => {
    const lost = await watch.look();
    writeJobQueueStatus(paths, {
      env: site.env,
      ...watch.counts(),
      waitingFor: watch.waitingFor(),
      silence: watch.silence(),
    });
    reportSilence();
    // The run folder does not show whether all failed items were retried, but then the jobs end.
    if (retry !== undefined && lost.length === 0 && hasNoJobs()) isRetried = true;
    else if (open > 0 || retry !== undefined) {
      await replacement.replace(lost, jobsNeeded(retry === undefined ? open : request.pending));
      if (hasNoJobs() && watch.silence() === undefined) await requireComplete();
    }
    return watch.isInDoubt() ? firstPollMs : options.pollSeconds * 1000;
  });
  try {
    for (;;) {
      const shards = await findCommitted(worker, committed);
      committed = shards.committed;
      open = shards.open.length;
      if (retry === undefined ? open === 0 : isRetried) {
        await within(silentMs, poll.whenIdle());
        await endJobs(jobs);
        return committed;
      }
      if (stop.kill.aborted || stop.leave.aborted || isStopOrdered(paths)) {
        await leave({ ...jobs, stop, site, whenIdle: poll.whenIdle });
        return committed;
      }
      if (isDrainOrdered(paths)) {
        await poll.whenIdle();
        await drainJobs(jobs, { pollMs: options.pollSeconds * 1000, stop });
        // If a job still runs, the run was asked to stop in the meantime. The next iteration handles that.
        if (watch.counts().running === 0) return (await findCommitted(worker, committed)).committed;
        continue;
      }
      try {
        poll.ifDue();
      } catch (error) {
        // Cancel all jobs when the run is given up.
        await queue.cancel(watch.submissions);
        throw error;
      }
      await sleep(checkEveryMs);
    }
  } finally {
    queue.drop?.();
  }

  function jobsNeeded(shards: number): number {
    return jobsFor(Math.min(parallel.nWorkers, shards), options);
  }

  function hasNoJobs(): boolean {
    const { pending, running } = watch.counts();
    return pending + running === 0;
  }

  function reportSilence(): void {
    const why = watch.silence();
    if (why !== undefined && !wasSilent)
      process.stderr.write(`millrace: ${site.title} does not answer (${why}); the jobs continue, it is asked again\n`);
    wasSilent = why !== undefined;
  }

  /** Called when no job is left. Throws, unless the last job has just completed the run. */
  async function requireComplete(): Promise<void> {
    const left = (await findCommitted(worker, committed)).open.length;
    if (left === 0 || isEndOrdered(paths)) return;
    throw new MillraceError(
      "JOBS_LOST",
      `All jobs of the run in ${paths.root} have ended or were cancelled, with ${left} shards to do.`,
      { hint: "Run again: it continues where it was." },
    );
  }
}

interface Jobs {
  readonly paths: RunPaths;
  readonly queue: JobQueue;
  readonly watch: JobWatch;
}

/** Ends the jobs of a complete run: waits for those that run, and cancels the others. */
async function endJobs({ paths, queue, watch }: Jobs): Promise<void> {
  const untilMs = performance.now() + endGraceMs;
  let aliveMs = performance.now();
  for (;;) {
    const isAnswered = await within(silentMs, watch.look());
    const { pending, running } = watch.counts();
    const nowMs = performance.now();
    if (isAnyWorkerAlive(paths)) aliveMs = nowMs;
    if (running === 0 || nowMs > untilMs || nowMs - aliveMs > silentMs || !isAnswered) {
      if (pending + running > 0) await within(silentMs, queue.cancel(watch.submissions));
      queue.close(watch.submissions);
      removeJobQueueStatus(paths);
      return;
    }
    await sleep(checkEveryMs);
  }
}

/** Drains a run: cancels pending jobs, and waits for running ones without a time limit. */
async function drainJobs(
  { paths, queue, watch }: Jobs,
  { pollMs, stop }: { readonly pollMs: number; readonly stop: StopRequests },
): Promise<void> {
  const cancelled = new Set<Submission>();
  let askedMs = Number.NEGATIVE_INFINITY;
  while (!stop.kill.aborted && !stop.leave.aborted && !isStopOrdered(paths)) {
    if (performance.now() - askedMs >= Math.min(pollMs, drainPollMs)) {
      await watch.look();
      askedMs = performance.now();
      if (watch.silence() === undefined && (await isDrained())) return;
    }
    await sleep(checkEveryMs);
  }

  async function isDrained(): Promise<boolean> {
    const waiting = watch.waiting().filter((one) => !cancelled.has(one));
    if (waiting.length > 0 && (await queue.cancel(waiting)) === undefined)
      for (const submission of waiting) cancelled.add(submission);
    const { pending, running } = watch.counts();
    if (running > 0) return false;
    // The pending tasks of arrays that have begun.
    if (pending > 0) await queue.cancel(watch.submissions);
    queue.close(watch.submissions);
    removeJobQueueStatus(paths);
    return true;
  }
}

/**
 * Leaves a run that the user interrupted or that was ordered to stop. After one Ctrl-C the jobs continue; after two
 * they are cancelled.
 */
async function leave({
  stop,
  site,
  whenIdle,
  ...jobs
}: Jobs & { stop: StopRequests; site: JobSite; whenIdle: () => Promise<void> }): Promise<void> {
  const { paths, queue, watch } = jobs;
  if (!site.outlivesDriver && !isStopOrdered(paths)) {
    await whenIdle();
    await queue.cancel(watch.submissions);
    await waitForEnd(jobs, endGraceMs);
    return;
  }
  const isDetaching = !isStopOrdered(paths) && stop.leave.reason === "signal";
  if (isDetaching) {
    const untilMs = performance.now() + choiceMs;
    while (!stop.kill.aborted && performance.now() < untilMs) await sleep(50);
    if (!stop.kill.aborted) {
      process.stderr.write(
        `millrace: detached; the jobs continue and the last one merges. millrace attach ${paths.root} shows its progress, millrace cancel ends it\n`,
      );
      return;
    }
    process.stderr.write(`millrace: cancelling the jobs\n`);
  }
  if (!isStopOrdered(paths)) orderStop(paths);
  const reason = stopReason(paths);
  // The poll may be submitting jobs, which must be cancelled too.
  await whenIdle();
  await waitForEnd(jobs, endGraceMs);
  const why = await queue.cancel(watch.submissions);
  if (why === undefined) removeJobQueueStatus(paths);
  else process.stderr.write(`millrace: ${site.title} did not cancel the jobs: ${why}\n`);
  await waitForEnd(jobs, endGraceMs);
  if (reason !== undefined) throw reason;
}

/** Waits until no job runs; pending jobs do not count. */
async function waitForEnd({ watch }: Jobs, maxWaitMs: number): Promise<void> {
  const untilMs = performance.now() + maxWaitMs;
  for (;;) {
    await watch.look();
    if (watch.counts().running === 0 || performance.now() > untilMs) return;
    await sleep(checkEveryMs);
  }
}
