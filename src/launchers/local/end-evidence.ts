import { readIfPresent } from "../../run-folder/files/durable-files.ts";
import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { reportedMemory } from "../../run-folder/files/worker-report.ts";
import { isSelfInflicted, type WorkerExit } from "../../run-folder/history/attempt-notes.ts";
import { newWorkerName } from "../../worker/session.ts";
import { openOomEvidence } from "./oom-evidence.ts";

/** Collects evidence whether an item ended its worker: memory, and the ends of other workers. */
export interface EndEvidence {
  /** Call this a few times a second. */
  look(): void;
  started(worker: string): void;
  ended(worker: string): void;
  /** Adds the evidence to a worker's exit. Call it before `ended`, and before the worker's report is removed. */
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
