import { MillraceError } from "../../shared/errors.ts";
import { sleep } from "../../shared/sleep.ts";
import type { Submission } from "../../store/job-records.ts";
import { forgetJobs, writeJobSight } from "../../store/job-sight.ts";
import type { KnownShard } from "../../store/known-shard.ts";
import { type RunPaths, runPaths } from "../../store/run-paths.ts";
import { isAnyoneAtWork } from "../../store/run-status.ts";
import { isDrainOrdered, isEndOrdered, isStopOrdered, orderStop, stopReason } from "../../store/stop-order.ts";
import { findCommitted } from "../../worker/find-committed.ts";
import type { LaunchRequest, StopRequests } from "../launcher.ts";
import { type JobOptions, jobsFor } from "./job-options.ts";
import type { JobQueue } from "./job-queue.ts";
import { keepJobs } from "./keep-jobs.ts";
import { pollWith, within } from "./poll-with.ts";
import type { Scheduler } from "./scheduler.ts";
import { submitMissing } from "./submit-missing.ts";
import { type JobWatch, watchJobs } from "./watch-jobs.ts";

/** Where jobs run, as far as watching them goes. */
interface JobSite extends Pick<Scheduler, "env" | "title" | "canExclude"> {
  /** Jobs go on when this process has gone. */
  readonly outlivesDriver: boolean;
}

export interface DrivenJobs {
  readonly site: JobSite;
  readonly queue: JobQueue;
  readonly options: Pick<JobOptions, "processes" | "resubmits" | "pollSeconds">;
}

// The folder is looked at often and costs little; the scheduler less and less often, as it serves many.
const lookEveryMs = 250;
const firstPollMs = 1000;
// How long jobs that have nothing left to do may take to end by themselves.
const endGraceMs = 10_000;
// Jobs without a living worker are not waited for, as their node may be lost, nor is a scheduler that hangs.
const silentMs = 2000;
// After the first Ctrl-C: a second one within this time cancels.
const choiceMs = 3000;
// While jobs that are asked to leave are waited for, their scheduler is asked this often at least.
const drainPollMs = 5000;

/** Keeps as many jobs at work as a run needs until it is complete. Answers the shards that are committed. */
export async function driveJobs(
  request: LaunchRequest,
  { site, queue, options }: DrivenJobs,
): Promise<ReadonlyMap<number, KnownShard>> {
  const { inlineJob, stop, parallel } = request;
  const { retry } = inlineJob.options;
  const paths = runPaths(request.runDir);
  const watch = watchJobs(paths, queue, site);
  const jobs = { paths, queue, watch };
  const keeper = keepJobs(paths, { queue, watch, site, options });
  await submitMissing(jobs, jobsNeeded(request.pending));

  let committed: ReadonlyMap<number, KnownShard> = new Map();
  let open = request.pending;
  let wasSilent = false;
  let isRetried = false;
  const poll = pollWith(async () => {
    const lost = await watch.look();
    writeJobSight(paths, {
      env: site.env,
      ...watch.counts(),
      waitingFor: watch.waitingFor(),
      silence: watch.silence(),
    });
    tellSilence();
    // Whether failed items were retried is not seen in the folder, but told by the jobs: they end when all were.
    if (retry !== undefined && lost.length === 0 && isNobodyLeft()) isRetried = true;
    else if (open > 0 || retry !== undefined) {
      await keeper.replace(lost, jobsNeeded(retry === undefined ? open : request.pending));
      if (isNobodyLeft() && watch.silence() === undefined) await allGone();
    }
    return watch.isInDoubt() ? firstPollMs : options.pollSeconds * 1000;
  });
  try {
    for (;;) {
      const shards = await findCommitted(inlineJob, committed);
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
        // Unless something else was asked for meanwhile: the next turn does that.
        if (watch.counts().running === 0) return (await findCommitted(inlineJob, committed)).committed;
        continue;
      }
      try {
        poll.ifDue();
      } catch (error) {
        // A run that is given up leaves no jobs behind.
        await queue.cancel(watch.submissions);
        throw error;
      }
      await sleep(lookEveryMs);
    }
  } finally {
    queue.drop?.();
  }

  function jobsNeeded(shards: number): number {
    return jobsFor(Math.min(parallel.nWorkers, shards), options);
  }

  function isNobodyLeft(): boolean {
    const { pending, running } = watch.counts();
    return pending + running === 0;
  }

  function tellSilence(): void {
    const why = watch.silence();
    if (why !== undefined && !wasSilent)
      process.stderr.write(`millrace: ${site.title} does not answer (${why}); the jobs go on, it is asked again\n`);
    wasSilent = why !== undefined;
  }

  /** Nobody is left to do what is open: unless the last of them has just done it. */
  async function allGone(): Promise<void> {
    const left = (await findCommitted(inlineJob, committed)).open.length;
    if (left === 0 || isEndOrdered(paths)) return;
    throw new MillraceError(
      "JOBS_LOST",
      `All jobs of the run in ${paths.root} have ended or were cancelled, with ${left} shards to do.`,
      { hint: "Run again: it goes on from where it was." },
    );
  }
}

interface Jobs {
  readonly paths: RunPaths;
  readonly queue: JobQueue;
  readonly watch: JobWatch;
}

/** Nothing is left to do: jobs end by themselves, and those that have not begun are cancelled. */
async function endJobs({ paths, queue, watch }: Jobs): Promise<void> {
  const untilMs = performance.now() + endGraceMs;
  let aliveMs = performance.now();
  for (;;) {
    const isAnswered = await within(silentMs, watch.look());
    const { pending, running } = watch.counts();
    const nowMs = performance.now();
    if (isAnyoneAtWork(paths)) aliveMs = nowMs;
    if (running === 0 || nowMs > untilMs || nowMs - aliveMs > silentMs || !isAnswered) {
      if (pending + running > 0) await within(silentMs, queue.cancel(watch.submissions));
      queue.close(watch.submissions);
      forgetJobs(paths);
      return;
    }
    await sleep(lookEveryMs);
  }
}

/** Nobody begins another shard: jobs that wait are cancelled, and those that run are waited for, however long it takes. */
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
    await sleep(lookEveryMs);
  }

  async function isDrained(): Promise<boolean> {
    const waiting = watch.waiting().filter((one) => !cancelled.has(one));
    if (waiting.length > 0 && (await queue.cancel(waiting)) === undefined)
      for (const submission of waiting) cancelled.add(submission);
    const { pending, running } = watch.counts();
    if (running > 0) return false;
    // What is left of arrays that had begun.
    if (pending > 0) await queue.cancel(watch.submissions);
    queue.close(watch.submissions);
    forgetJobs(paths);
    return true;
  }
}

/** The user leaves, or has ordered the run to stop: once, and the jobs go on; twice, and they are cancelled. */
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
  const isOwnWish = !isStopOrdered(paths) && stop.leave.reason === "signal";
  if (isOwnWish) {
    const untilMs = performance.now() + choiceMs;
    while (!stop.kill.aborted && performance.now() < untilMs) await sleep(50);
    if (!stop.kill.aborted) {
      process.stderr.write(
        `millrace: detached; the jobs go on and the last one merges. millrace attach ${paths.root} shows how it goes, millrace cancel ends it\n`,
      );
      return;
    }
    process.stderr.write(`millrace: cancelling the jobs\n`);
  }
  if (!isStopOrdered(paths)) orderStop(paths);
  const reason = stopReason(paths);
  // It may be submitting jobs, which are to be cancelled too.
  await whenIdle();
  await waitForEnd(jobs, endGraceMs);
  const why = await queue.cancel(watch.submissions);
  if (why === undefined) forgetJobs(paths);
  else process.stderr.write(`millrace: ${site.title} did not cancel the jobs: ${why}\n`);
  await waitForEnd(jobs, endGraceMs);
  if (reason !== undefined) throw reason;
}

/** Waits until no job runs; pending ones do not count. */
async function waitForEnd({ watch }: Jobs, patienceMs: number): Promise<void> {
  const untilMs = performance.now() + patienceMs;
  for (;;) {
    await watch.look();
    if (watch.counts().running === 0 || performance.now() > untilMs) return;
    await sleep(lookEveryMs);
  }
}
