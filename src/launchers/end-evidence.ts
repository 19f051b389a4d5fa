import { isSelfInflicted, type WorkerExit } from "../store/attempt-notes.ts";
import { readIfPresent } from "../store/durable-files.ts";
import type { RunPaths } from "../store/run-paths.ts";
import { reportedMemory } from "../store/worker-report.ts";
import { newWorkerName } from "../worker/session.ts";
import { openOomEvidence } from "./oom-evidence.ts";

/** Gathers, beside how a worker ended, what tells whether its item did it: memory, and all ends of its fellows. */
export interface EndEvidence {
  /** To be called a few times a second. */
  look(): void;
  started(worker: string): void;
  ended(worker: string): void;
  /** The end of a worker with its evidence; to be asked before `ended`, and before the worker's report is removed. */
  describe(worker: string, exit: WorkerExit): WorkerExit;
}

export function openEndEvidence(paths: RunPaths): EndEvidence {
  const oom = openOomEvidence();
  const supervisor = newWorkerName();
  const startedMs = new Map<string, number>();
  let endedWorkersMs = 0;
  let outsideEnds = 0;
  const workerMs = () => {
    const now = performance.now();
    return [...startedMs.values()].reduce((sum, began) => sum + now - began, endedWorkersMs);
  };
  return {
    look: oom.look,
    started: (worker) => void startedMs.set(worker, performance.now()),
    ended(worker) {
      endedWorkersMs += performance.now() - (startedMs.get(worker) ?? performance.now());
      startedMs.delete(worker);
    },
    describe(worker, exit) {
      const outOfMemory = exit.signal === "SIGKILL" ? oom.explain() : undefined;
      const known = { ...exit, ...(outOfMemory === undefined ? {} : { outOfMemory }) };
      if (isSelfInflicted(known)) return known;
      outsideEnds++;
      const watched = { supervisor, outsideEnds, workerMs: Math.round(workerMs()) };
      return { ...known, memory: reportedMemory(readIfPresent(paths.worker(worker)) ?? ""), watched };
    },
  };
}
