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
  /** The number of workers of the run, and the number of the first one in this pool. */
  readonly workers: number;
  readonly firstWorker?: number;
  /** How many workers are started at once. */
  readonly early: number;
  /** Called when a worker has built its env. */
  readonly onReady?: (() => void) | undefined;
}

/** Opens a pool of worker processes on this machine, some of which are started early. They do not outlive this process. */
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
