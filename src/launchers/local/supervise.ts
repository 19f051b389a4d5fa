import type { MillraceError } from "../../errors/errors.ts";
import { isSlowFolder } from "../../run-folder/files/is-slow-folder.ts";
import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { withoutPatience } from "../../run-folder/files/store-calls.ts";
import { describeExit } from "../../run-folder/history/attempt-notes.ts";
import { reapWorker } from "../../run-folder/lease/reap-worker.ts";
import { fileSystemNow, readSnapshot } from "../../run-folder/lease/take-file-step.ts";
import { openRunProgress } from "../../run-folder/run/run-progress.ts";
import { isDrainOrdered, isStopOrdered } from "../../run-folder/run/stop-order.ts";
import type { KnownShard } from "../../run-folder/shard/known-shard.ts";
import { ignoreErrors } from "../../runtime/ignore-errors.ts";
import { sleepUnless } from "../../runtime/sleep.ts";
import { newWorkerName } from "../../worker/session.ts";
import type { CrashedEnd, StartedWorker, StartWorker, StopRequests, WorkerEnd } from "../launcher.ts";
import { openCrashBudget } from "./crash-budget.ts";
import { openEndEvidence } from "./end-evidence.ts";

export interface Supervision {
  readonly paths: RunPaths;
  readonly stop: StopRequests;
  /** How many workers to keep running. */
  readonly slots: number;
}

/** A state in which all workers are asked to leave. `failure`: the first error with which a worker ended. */
interface EndState {
  readonly kind: "stopping" | "complete";
  readonly failure?: MillraceError | undefined;
}

/** `draining`: workers that end are not replaced. `complete`: a worker found no open shard. */
type SupervisionState = { readonly kind: "running" | "draining" } | EndState;

function failureOf(state: SupervisionState): MillraceError | undefined {
  return "failure" in state ? state.failure : undefined;
}

// After the run is complete, a worker without a heartbeat for this long is killed.
const maxHeartbeatAgeMs = 3000;
const checkEveryMs = 250;
const slowCheckEveryMs = 1000;

/**
 * Keeps `slots` workers running until the run is complete. A worker that dies is replaced; a worker that fails stops
 * the others. Returns the shards that workers reported as committed; the driver inspects the others.
 */
export async function supervise(
  { paths, stop, slots }: Supervision,
  start: StartWorker,
): Promise<ReadonlyMap<number, KnownShard>> {
  const running = new Set<StartedWorker>();
  const committed = new Map<number, KnownShard>();
  let state: SupervisionState = stop.leave.aborted ? { kind: "stopping" } : { kind: "running" };
  const evidence = openEndEvidence(paths);
  const budget = openCrashBudget(slots);
  const hasProgress = openRunProgress(paths);

  const end = (next: EndState) => {
    const { kind } = state.kind === "complete" ? state : next;
    state = { kind, failure: failureOf(state) ?? next.failure };
    for (const worker of running) worker.send({ kind: "leave" });
  };
  const stopAll = () => end({ kind: "stopping" });
  const killAll = () => {
    for (const worker of running) worker.kill();
  };
  stop.leave.addEventListener("abort", stopAll);
  stop.kill.addEventListener("abort", killAll);
  const timer = setInterval(
    () => {
      // The file system may be in trouble for a moment; the next check comes soon.
      ignoreErrors(() => withoutPatience(check));
    },
    isSlowFolder(paths.root) ? slowCheckEveryMs : checkEveryMs,
  );
  const check = () => {
    if ((state.kind === "running" || state.kind === "draining") && isStopOrdered(paths)) stopAll();
    // Workers read the order from the run folder.
    if (state.kind === "running" && isDrainOrdered(paths)) state = { kind: "draining" };
    evidence.look();
    if (state.kind === "complete") for (const worker of running) if (hasNoHeartbeat(worker)) worker.kill();
  };
  try {
    await Promise.all(Array.from({ length: slots }, (_, slot) => keepSlot(slot)));
  } finally {
    clearInterval(timer);
    stop.leave.removeEventListener("abort", stopAll);
    stop.kill.removeEventListener("abort", killAll);
  }
  const failure = failureOf(state);
  if (failure !== undefined) throw failure;
  return committed;

  async function keepSlot(slot: number): Promise<void> {
    while (state.kind === "running") {
      const worker = start({ slot, name: newWorkerName() });
      running.add(worker);
      evidence.started(worker.name);
      worker.send({ kind: "begin" });
      const how = await worker.ended;
      running.delete(worker);
      const pauseMs = take(worker, how);
      evidence.ended(worker.name);
      // It left by itself, because its time is up for example. A new worker would leave too.
      if (how.kind === "left") return;
      if (pauseMs > 0) await sleepUnless(pauseMs, () => state.kind !== "running");
    }
  }

  /** Handles the end of a worker. Returns how long to wait before it is replaced. */
  function take(worker: StartedWorker, how: WorkerEnd): number {
    if (how.kind === "crashed") return takeCrash(worker, how);
    if (how.kind === "failed") {
      end({ kind: "stopping", failure: how.error });
      reapWorker(paths, worker.name);
      return 0;
    }
    // The other workers may still be waiting for a shard that was just committed.
    if (how.kind === "complete") end({ kind: "complete" });
    for (const done of how.committed) committed.set(done.shard, done);
    return 0;
  }

  function takeCrash({ name }: StartedWorker, { exit: seen, wasReady, lastOutput }: CrashedEnd): number {
    const exit = evidence.describe(name, seen);
    reapWorker(paths, name, exit);
    if (state.kind !== "running") return 0;
    const answer = budget.answer({ kind: "crashed", exit, wasReady, lastOutput }, hasProgress());
    if (answer.kind === "give up") {
      end({ kind: "stopping", failure: answer.error });
      return 0;
    }
    const when = answer.afterMs === 0 ? "" : ` in ${(answer.afterMs / 1000).toFixed(1)} s`;
    process.stderr.write(`millrace: a worker ${describeExit(exit)}; another one replaces it${when}\n`);
    return answer.afterMs;
  }

  function hasNoHeartbeat({ name }: StartedWorker): boolean {
    const snapshot = readSnapshot(paths.worker(name), () => fileSystemNow(paths));
    return (
      snapshot !== undefined && Math.min(snapshot.ageMs, snapshot.unchangedMs ?? snapshot.ageMs) > maxHeartbeatAgeMs
    );
  }
}
