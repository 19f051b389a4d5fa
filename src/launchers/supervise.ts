import type { MillraceError } from "../shared/errors.ts";
import { sleepUnless } from "../shared/sleep.ts";
import { describeExit } from "../store/attempt-notes.ts";
import type { KnownShard } from "../store/known-shard.ts";
import { reapWorker } from "../store/reap-worker.ts";
import type { RunPaths } from "../store/run-paths.ts";
import { openRunProgress } from "../store/run-progress.ts";
import { isDrainOrdered, isStopOrdered } from "../store/stop-order.ts";
import { fileSystemNow, lookAt } from "../store/take-file-step.ts";
import { newWorkerName } from "../worker/session.ts";
import type { JoinOutcome } from "../worker/worker-line.ts";
import { type CrashedEnd, openCrashBudget } from "./crash-budget.ts";
import { openEndEvidence } from "./end-evidence.ts";

/** A worker that was started, as its launcher sees it. */
export interface StartedWorker {
  readonly name: string;
  readonly ended: Promise<WorkerEnd>;
  /** The run is prepared: it may begin. */
  begin(): void;
  /** Asks it to save, give its shard back and end. */
  leave(): void;
  /** Ends it at once. */
  kill(): void;
}

export type WorkerEnd =
  | { readonly kind: JoinOutcome; readonly committed: readonly KnownShard[] }
  | { readonly kind: "failed"; readonly error: MillraceError }
  | CrashedEnd;

export type StartWorker = (place: { readonly name: string; readonly slot: number }) => StartedWorker;

export interface Supervision {
  readonly paths: RunPaths;
  readonly stop: { readonly leave: AbortSignal; readonly kill: AbortSignal };
  /** How many workers are kept at work. */
  readonly slots: number;
}

// A worker that shows no sign of life when the run is complete is not waited for.
const silentMs = 3000;
const lookEveryMs = 250;

/**
 * Keeps as many workers at work as were asked for until the run is complete: one that dies is replaced, one that fails
 * stops the others. Answers with what they have told of the shards; the driver looks at the folder itself for the rest.
 */
export async function supervise(
  { paths, stop, slots }: Supervision,
  start: StartWorker,
): Promise<ReadonlyMap<number, KnownShard>> {
  const running = new Set<StartedWorker>();
  const committed = new Map<number, KnownShard>();
  let isStopping = stop.leave.aborted;
  let isAsked = isStopping;
  let isComplete = false;
  let failure: MillraceError | undefined;
  const evidence = openEndEvidence(paths);
  const budget = openCrashBudget(slots);
  const hasProgress = openRunProgress(paths);

  const stopAll = () => {
    isStopping = true;
    isAsked = true;
    for (const worker of running) worker.leave();
  };
  const killAll = () => {
    for (const worker of running) worker.kill();
  };
  stop.leave.addEventListener("abort", stopAll);
  stop.kill.addEventListener("abort", killAll);
  const timer = setInterval(() => {
    if (!isAsked && isStopOrdered(paths)) stopAll();
    // They hear of it by themselves; those that end are not replaced.
    if (isDrainOrdered(paths)) isStopping = true;
    evidence.look();
    if (isComplete) for (const worker of running) if (isSilent(worker)) worker.kill();
  }, lookEveryMs);
  try {
    await Promise.all(Array.from({ length: slots }, (_, slot) => keepSlot(slot)));
  } finally {
    clearInterval(timer);
    stop.leave.removeEventListener("abort", stopAll);
    stop.kill.removeEventListener("abort", killAll);
  }
  if (failure !== undefined) throw failure;
  return committed;

  async function keepSlot(slot: number): Promise<void> {
    while (!isStopping && !isComplete) {
      const worker = start({ slot, name: newWorkerName() });
      running.add(worker);
      evidence.started(worker.name);
      worker.begin();
      const end = await worker.ended;
      running.delete(worker);
      const pauseMs = take(worker, end);
      evidence.ended(worker.name);
      // It has seen by itself that it is to leave, because its time is up, say: another one would find the same.
      if (end.kind === "left") return;
      if (pauseMs > 0) await sleepUnless(pauseMs, () => isStopping || isComplete);
    }
  }

  /** Takes note of how a worker ended. Answers how long to wait before another one takes its place. */
  function take(worker: StartedWorker, end: WorkerEnd): number {
    if (end.kind === "complete") finish();
    if (end.kind === "failed") fail(end.error);
    if (end.kind === "complete" || end.kind === "left" || end.kind === "recycled")
      for (const done of end.committed) committed.set(done.shard, done);
    if (end.kind === "failed") reapWorker(paths, worker.name);
    return end.kind === "crashed" ? takeCrash(worker, end) : 0;
  }

  function takeCrash({ name }: StartedWorker, { exit: seen, wasReady, lastWords }: CrashedEnd): number {
    const exit = evidence.describe(name, seen);
    reapWorker(paths, name, exit);
    if (isStopping || isComplete) return 0;
    const answer = budget.answer({ kind: "crashed", exit, wasReady, lastWords }, hasProgress());
    if (answer.kind === "give up") {
      fail(answer.error);
      return 0;
    }
    const when = answer.afterMs === 0 ? "" : ` in ${(answer.afterMs / 1000).toFixed(1)} s`;
    process.stderr.write(`millrace: a worker ${describeExit(exit)}; another one takes its place${when}\n`);
    return answer.afterMs;
  }

  // The others may be waiting for a shard that is committed by now: they need not find out by themselves.
  function finish(): void {
    isComplete = true;
    for (const other of running) other.leave();
  }

  function fail(error: MillraceError): void {
    failure ??= error;
    stopAll();
  }

  function isSilent({ name }: StartedWorker): boolean {
    const sight = lookAt(paths.worker(name), () => fileSystemNow(paths.leases));
    return sight !== undefined && sight.ageMs > silentMs;
  }
}
