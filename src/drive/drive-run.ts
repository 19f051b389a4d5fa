import { existsSync } from "node:fs";
import { chooseLauncher } from "../launchers/choose-launcher.ts";
import type { Launcher, WorkerPool } from "../launchers/launcher.ts";
import { collectItems } from "../plan/collect-items.ts";
import { isMillraceError, MillraceError } from "../shared/errors.ts";
import { quietly } from "../shared/quietly.ts";
import { storeError } from "../store/durable-files.ts";
import { writeFirstLook } from "../store/first-look.ts";
import type { KnownShard } from "../store/known-shard.ts";
import { forgetFailure, keepFailure } from "../store/last-failure.ts";
import { type RunPaths, runPaths } from "../store/run-paths.ts";
import { scanShards } from "../store/scan-shards.ts";
import { tooManyFailures } from "../worker/failure-log.ts";
import { findCommitted } from "../worker/find-committed.ts";
import { type Membership, openSession, type Session } from "../worker/session.ts";
import { mergeOnce } from "./merge-once.ts";
import { openRun } from "./open-run.ts";
import type { RunRequest } from "./run-request.ts";
import { showProgress } from "./show-progress.ts";
import { tellNothingLeft } from "./tell-nothing-left.ts";

/** The whole of a run: plan, launch, watch, merge. What is done already is not done again. */
export async function driveRun<Merged>(request: RunRequest<Merged>): Promise<Merged> {
  const launcher = await chooseLauncher(request.parallel);
  launcher.check(request.parallel);
  if (launcher.startsWorkers) request.requireSendable();
  const paths = runPaths(request.runDir);
  let pool: WorkerPool | undefined;
  try {
    const items = await collectItems(request.items);
    pool = launcher.openPool?.({
      ...request,
      early: existsSync(paths.manifest) ? 0 : workersNeeded(request, items.count),
    });
    const plan = openRun(paths, items, request);
    const takePart = (act: (session: Session) => Promise<Merged>) =>
      inSession(openSession(paths, plan, membership(request, launcher)), request, act);
    try {
      return await takePart(async (session) =>
        finishRun(session, request, await launch(session, { ...request, pool }, launcher)),
      );
    } catch (error) {
      // Jobs that completed the run while this driver was about to leave have left the merge to it.
      const isLeft = launcher.outlivesDriver && isStopped(error) && !request.stop.kill.aborted;
      if (!isLeft || (await scanShards(paths)).committed.size < plan.shardCount) throw error;
      return await takePart((session) => finishRun(session, request));
    }
  } catch (error) {
    throw storeError(error);
  } finally {
    pool?.close();
  }
}

/** How many workers a new run is sure to keep busy. */
function workersNeeded({ parallel, shards, work }: RunRequest<unknown>, items: number): number {
  const batches = Math.ceil(items / (work.batchSize ?? 1));
  return Math.min(parallel.nWorkers, batches, shards ?? batches);
}

/** Starts the workers, if there is anything to do. Answers the shards that are known to be committed. */
async function launch<Merged>(
  { job }: Session,
  { runDir, parallel, stop, pool, progress }: RunRequest<Merged> & { readonly pool: WorkerPool | undefined },
  launcher: Launcher,
): Promise<ReadonlyMap<number, KnownShard>> {
  const request = { runDir, parallel, stop, pool, inlineJob: job };
  const { paths } = job.protocol;
  const wasComplete = existsSync(paths.merged);
  const runInline = () => launcher.launch({ ...request, pending: job.plan.shardCount });
  // A worker in this process looks for itself; only of a run that was complete it is known that nothing may be left.
  if (!launcher.startsWorkers && !wasComplete) return runInline();
  const { committed, open, firstLook } = await findCommitted(job);
  if (open.length === 0) {
    if (wasComplete && progress) tellNothingLeft(paths, committed);
    return committed;
  }
  if (!launcher.startsWorkers) return runInline();
  writeFirstLook(paths, firstLook);
  return new Map([...committed, ...(await launcher.launch({ ...request, pending: open.length }))]);
}

/** How this process takes part in a run: as its one worker, or as the driver of others. */
export function membership<Merged>(request: RunRequest<Merged>, launcher: Launcher): Membership {
  const { stop } = request;
  return {
    ...request,
    // Where workers go on alone, a driver that is asked to leave when they are through has the merge left to do.
    isAskedToLeave: () => (launcher.outlivesDriver ? stop.kill : stop.leave).aborted,
    role: launcher.startsWorkers ? "driver" : "worker",
    isSeenFromAfar: launcher.isRemote,
  };
}

/** Does something as a member of the run, and leaves no heartbeat behind. */
export async function inSession<Merged>(
  session: Session,
  { runDir, progress, runner }: RunRequest<Merged>,
  act: (session: Session) => Promise<Merged>,
): Promise<Merged> {
  const display = progress ? showProgress(runDir, runner.name) : undefined;
  try {
    return await act(session);
  } catch (error) {
    // Before this process is seen to have left: those who watch the run read it then. On a full disk it is not kept.
    const { paths, lease } = session.protocol;
    const self = lease.role === "driver" ? {} : { worker: lease.worker };
    if (!isStopped(error)) quietly(() => keepFailure(paths, error, self));
    throw error;
  } finally {
    await display?.stop();
    session.close();
  }
}

/** Merges what the workers have committed, if that is all of it. */
export async function finishRun<Merged>(
  session: Session,
  { merge }: Pick<RunRequest<Merged>, "merge">,
  known: ReadonlyMap<number, KnownShard> = new Map(),
): Promise<Merged> {
  const { job, protocol } = session;
  const { committed, open } = await findCommitted(job, known);
  if (open.length > 0) throw stopped(protocol.paths, open.length);
  // Each worker counts for itself; only here are all failures known.
  const failed = [...committed.values()].reduce((sum, { counts }) => sum + counts.failed, 0);
  if (failed > job.options.maxFailures) throw tooManyFailures(failed, job.options.maxFailures);
  const merged = await mergeOnce(session, committed, merge);
  // Of another driver, perhaps, which this one has outlived.
  forgetFailure(protocol.paths);
  return merged;
}

function isStopped(error: unknown): boolean {
  return isMillraceError(error) && error.code === "RUN_STOPPED";
}

function stopped(paths: RunPaths, open: number): MillraceError {
  return new MillraceError("RUN_STOPPED", `The run in ${paths.root} was stopped with ${open} shards to do.`, {
    hint: "Run again: it goes on from where it was.",
  });
}
