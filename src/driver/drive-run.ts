import { forgetEnv } from "../contract/kept-env.ts";
import type { MergeShards } from "../contract/task.ts";
import { isMillraceError, MillraceError } from "../errors/errors.ts";
import { chooseLauncher } from "../launchers/choose-launcher.ts";
import { launchWorkers } from "../launchers/launch-workers.ts";
import { type Launcher, outlivesDriver, type StopRequests, type WorkerPool } from "../launchers/launcher.ts";
import { collectItems } from "../plan/collect-items.ts";
import { isShared } from "../run-folder/files/file-system.ts";
import { refreshFolder } from "../run-folder/files/refresh-folder.ts";
import { type RunPaths, runPaths } from "../run-folder/files/run-paths.ts";
import { existsSync } from "../run-folder/files/store-calls.ts";
import { storeError } from "../run-folder/files/store-trouble.ts";
import { writeFirstScan } from "../run-folder/run/first-scan.ts";
import { removeFailure, writeFailure } from "../run-folder/run/last-failure.ts";
import { scanShards } from "../run-folder/run/scan-shards.ts";
import { isEndOrdered } from "../run-folder/run/stop-order.ts";
import type { KnownShard } from "../run-folder/shard/known-shard.ts";
import { ignoreErrors } from "../runtime/ignore-errors.ts";
import { sleepUnless } from "../runtime/sleep.ts";
import { type CommittedShards, findCommitted } from "../worker/find-committed.ts";
import { openSession, type Session, type SessionOptions } from "../worker/session.ts";
import { allowedFailures, tooManyFailures } from "../worker/shard/failure-log.ts";
import { mergeOnce } from "./merge-once.ts";
import { openRun } from "./open-run.ts";
import { printNothingLeft, showProgress } from "./progress/show-progress.ts";
import { requireSendable } from "./require-sendable.ts";
import type { RunRequest } from "./run-request.ts";

/** Runs everything: plan, launch, watch, merge. Committed shards are not computed again. */
export async function driveRun<Merged>(request: RunRequest<Merged>): Promise<Merged> {
  const { runDir, parallel, stop, work } = request;
  const launcher = await checkedLauncher(request);
  const paths = runPaths(runDir);
  let pool: WorkerPool | undefined;
  try {
    const items = await collectItems(request.items);
    if (launcher.kind === "pooled") {
      const early = existsSync(paths.manifest) ? 0 : workersNeeded(request, items.count);
      pool = launcher.openPool({ runDir, parallel, early });
    }
    const plan = openRun(paths, items, request);
    const takePart = (act: (session: Session) => Promise<Merged>) =>
      inSession(openSession({ paths, plan }, work, sessionOptions(stop, launcher)), request, act);
    try {
      return await takePart(async (session) =>
        finishRun(session, request.task.merge, await launch(session, request, { launcher, pool })),
      );
    } catch (error) {
      // If the jobs completed the run while this driver was stopping, they left the merge to it.
      const isLeft = outlivesDriver(launcher) && isStopped(error) && !stop.kill.aborted;
      if (!isLeft || (await scanShards(paths, new Map(), plan)).committed.size < plan.shardCount) throw error;
      return await takePart((session) => finishRun(session, request.task.merge));
    }
  } catch (error) {
    throw storeError(error);
  } finally {
    pool?.close();
  }
}

/** The number of workers that a new run can certainly keep busy. */
function workersNeeded({ parallel, task: { options } }: RunRequest<unknown>, items: number): number {
  const batches = Math.ceil(items / (options.work.batchSize ?? 1));
  return Math.min(parallel.nWorkers, batches, options.shards ?? batches);
}

/** Starts the workers, if there is anything to do. Returns the shards that are known to be committed. */
async function launch(
  session: Session,
  { task, runDir, parallel, stop }: RunRequest<unknown>,
  { launcher, pool }: { readonly launcher: Launcher; readonly pool: WorkerPool | undefined },
): Promise<ReadonlyMap<number, KnownShard>> {
  const request = { runDir, parallel, stop, worker: session };
  const { paths, plan } = session.run;
  const wasComplete = existsSync(paths.merged);
  const runInline = () => launchWorkers(launcher, { ...request, pending: plan.shardCount });
  // A worker in this process scans the shards itself; only a run that was complete may have nothing left to do.
  if (launcher.kind === "inline" && !wasComplete) return runInline();
  const { committed, open, firstScan } = await findCommitted(session);
  if (open.length === 0) {
    if (wasComplete && task.options.progress) printNothingLeft(paths, committed);
    return committed;
  }
  if (launcher.kind === "inline") return runInline();
  writeFirstScan(paths, firstScan);
  return new Map([...committed, ...(await launchWorkers(launcher, { ...request, pending: open.length }, pool))]);
}

/** The launcher of a start, after checking that it supports the requested options. */
export async function checkedLauncher(request: RunRequest<unknown>): Promise<Launcher> {
  const launcher = await chooseLauncher(request.parallel);
  launcher.check(request.parallel);
  if (launcher.kind !== "inline") {
    requireSendable(request);
    // Workers build their own env; this process does not need to keep a dataset and a model in memory.
    forgetEnv(request.task.provider);
  }
  return launcher;
}

/** How this process takes part in a run: as its one worker, or as the driver of others. */
export function sessionOptions(stop: StopRequests, launcher: Launcher): SessionOptions {
  return {
    // If workers outlive the driver and have ended, a driver that is asked to stop still merges.
    isAskedToLeave: () => (outlivesDriver(launcher) ? stop.kill : stop.leave).aborted,
    role: launcher.kind === "inline" ? "worker" : "driver",
    hasRemoteObservers: launcher.kind === "queued" ? true : undefined,
  };
}

/** Runs `act` as a member of the run, and stops the heartbeat afterwards. */
export async function inSession<Merged>(
  session: Session,
  { runDir, task }: RunRequest<Merged>,
  act: (session: Session) => Promise<Merged>,
): Promise<Merged> {
  const display = task.options.progress ? showProgress(runDir, task.runner.name) : undefined;
  try {
    return await act(session);
  } catch (error) {
    // Written before this process is seen to have left, because observers read it at that moment. On a full disk it is lost.
    const { run, member } = session;
    const { lease } = member;
    const self = lease.role === "driver" ? {} : { worker: lease.worker };
    if (!isStopped(error)) ignoreErrors(() => writeFailure(run.paths, error, self));
    throw error;
  } finally {
    await display?.stop();
    session.close();
  }
}

/** Merges the committed shards if all are committed. */
export async function finishRun<Merged>(
  session: Session,
  merge: MergeShards<Merged>,
  known: ReadonlyMap<number, KnownShard> = new Map(),
): Promise<Merged> {
  const { run, task } = session;
  const { committed, open } = await findWhenVisible(session, known);
  if (open.length > 0) throw stopped(run.paths, open.length);
  // Each worker counts only its own failures; the total is known only here.
  const failed = [...committed.values()].reduce((sum, { counts }) => sum + counts.failed, 0);
  const allowed = allowedFailures(task.options, run.plan);
  if (failed > allowed) throw tooManyFailures(failed, allowed);
  const merged = await mergeOnce(session, committed, merge);
  // The failure may be that of another driver, which ended earlier.
  removeFailure(run.paths);
  return merged;
}

// Network file systems show the changes of another host within a minute (NFS: acdirmax).
const maxDelayMs = 70_000;
const lookEveryMs = 500;

/** The committed shards. What workers on other hosts have committed may be visible here only later. */
async function findWhenVisible(session: Session, known: ReadonlyMap<number, KnownShard>): Promise<CommittedShards> {
  const { paths } = session.run;
  const untilMs = performance.now() + maxDelayMs;
  for (;;) {
    const found = await findCommitted(session, known);
    const isExpected = isShared(paths.root) && !session.isLeaving() && !isEndOrdered(paths);
    if (found.open.length === 0 || !isExpected || performance.now() > untilMs) return found;
    await sleepUnless(lookEveryMs, session.isLeaving);
    refreshFolder(paths.root);
  }
}

function isStopped(error: unknown): boolean {
  return isMillraceError(error) && error.code === "RUN_STOPPED";
}

function stopped(paths: RunPaths, open: number): MillraceError {
  return new MillraceError("RUN_STOPPED", `The run in ${paths.root} was stopped with ${open} shards to do.`, {
    hint: "Run again: it continues where it was.",
  });
}
