import { workerVariables } from "../../runtime/current-worker.ts";
import type { WorkerPool } from "../launcher.ts";
import { openEarlyPool } from "./early-pool.ts";
import { openOrphanGuard } from "./orphan-guard.ts";
import { startProcess } from "./start-process.ts";

export interface PoolSettings {
  readonly runDir: string;
  readonly maxHeapMb: number | undefined;
  /** The environment variables of the worker in a slot, in addition to those of this process. */
  readonly variables: (slot: number) => Readonly<Record<string, string>>;
  /** How many workers the run has, and the number of the first of them that this pool starts. */
  readonly workers: number;
  readonly firstWorker?: number;
  /** How many workers are started at once. */
  readonly early: number;
  /** Called when a worker has built its env. */
  readonly onReady?: (() => void) | undefined;
}

/** Starts worker processes of this machine, some of them early. None of them outlives this process. */
export function openProcessPool(settings: PoolSettings): WorkerPool {
  const { runDir, maxHeapMb, variables, workers, firstWorker = 0, early, onReady } = settings;
  const guard = openOrphanGuard();
  const pool = openEarlyPool(early, ({ name, slot }) => {
    const all = { ...variables(slot), ...workerVariables({ worker: firstWorker + slot, workers }) };
    return startProcess({ runDir, name, variables: all, maxHeapMb, onStart: guard.watch, onReady });
  });
  return {
    start: pool.start,
    close() {
      pool.close();
      guard.dismiss();
    },
  };
}
