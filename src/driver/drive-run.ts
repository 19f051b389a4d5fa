import { existsSync } from "node:fs";
import { forgetEnv } from "../contract/kept-env.ts";
import type { MergeShards } from "../contract/task.ts";
import { isMillraceError, MillraceError } from "../errors/errors.ts";
import { chooseLauncher } from "../launchers/choose-launcher.ts";
import { launchWorkers } from "../launchers/launch-workers.ts";
import { type Launcher, outlivesDriver, type StopRequests, type WorkerPool } from "../launchers/launcher.ts";
import { collectItems } from "../plan/collect-items.ts";
import { storeError } from "../run-folder/files/durable-files.ts";
import { type RunPaths, runPaths } from "../run-folder/files/run-paths.ts";
import { writeFirstScan } from "../run-folder/run/first-look.ts";
import { removeFailure, writeFailure } from "../run-folder/run/last-failure.ts";
import { scanShards } from "../run-folder/run/scan-shards.ts";
import type { KnownShard } from "../run-folder/shard/known-shard.ts";
import { ignoreErrors } from "../runtime/ignore-errors.ts";
import { findCommitted } from "../worker/find-committed.ts";
import { openSession, type Session, type SessionOptions } from "../worker/session.ts";
import { allowedFailures, tooManyFailures } from "../worker/shard/failure-log.ts";
import { mergeOnce } from "./merge-once.ts";
import { openRun } from "./open-run.ts";
import { printNothingLeft, showProgress } from "./progress/show-progress.ts";
import { requireSendable } from "./require-sendable.ts";
import type { RunRequest } from "./run-request.ts";

/** The whole of a run: plan, launch, watch, merge. What is done already is not done again. */
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
      // Jobs that completed the run while this driver was about to leave have left the merge to it.
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

/** How many workers a new run is sure to keep busy. */
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
  // A worker in this process looks for itself; only of a run that was complete it is known that nothing may be left.
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

/** The launcher of a start, once it is sure that it can do what is asked. */
export async function checkedLauncher(request: RunRequest<unknown>): Promise<Launcher> {
  const launcher = await chooseLauncher(request.parallel);
  launcher.check(request.parallel);
  if (launcher.kind !== "inline") {
    requireSendable(request);
    // Workers build their own; this process need not hold a dataset and a model meanwhile.
    forgetEnv(request.task.provider);
  }
  return launcher;
}

/** How this process takes part in a run: as its one worker, or as the driver of others. */
export function sessionOptions(stop: StopRequests, launcher: Launcher): SessionOptions {
  return {
    // Where workers outlive the driver, one that is asked to leave after their end still has the merge to do.
    isAskedToLeave: () => (outlivesDriver(launcher) ? stop.kill : stop.leave).aborted,
    role: launcher.kind === "inline" ? "worker" : "driver",
    hasRemoteObservers: launcher.kind === "queued" ? true : undefined,
  };
}

/** Does something as a member of the run, and leaves no heartbeat behind. */
export async function inSession<Merged>(
  session: Session,
  { runDir, task }: RunRequest<Merged>,
  act: (session: Session) => Promise<Merged>,
): Promise<Merged> {
  const display = task.options.progress ? showProgress(runDir, task.runner.name) : undefined;
  try {
    return await act(session);
  } catch (error) {
    // Before this process is seen to have left: those who watch the run read it then. On a full disk it is not kept.
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

/** Merges what the workers have committed, if that is all of it. */
export async function finishRun<Merged>(
  session: Session,
  merge: MergeShards<Merged>,
  known: ReadonlyMap<number, KnownShard> = new Map(),
): Promise<Merged> {
  const { run, task } = session;
  const { committed, open } = await findCommitted(session, known);
  if (open.length > 0) throw stopped(run.paths, open.length);
  // Each worker counts for itself; only here are all failures known.
  const failed = [...committed.values()].reduce((sum, { counts }) => sum + counts.failed, 0);
  const allowed = allowedFailures(task.options, run.plan);
  if (failed > allowed) throw tooManyFailures(failed, allowed);
  const merged = await mergeOnce(session, committed, merge);
  // Of another driver, perhaps, which this one has outlived.
  removeFailure(run.paths);
  return merged;
}

function isStopped(error: unknown): boolean {
  return isMillraceError(error) && error.code === "RUN_STOPPED";
}

function stopped(paths: RunPaths, open: number): MillraceError {
  return new MillraceError("RUN_STOPPED", `The run in ${paths.root} was stopped with ${open} shards to do.`, {
    hint: "Run again: it continues where it was.",
  });
}
