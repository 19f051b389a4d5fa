import { openEarlyPool } from "./early-pool.ts";
import type { WorkerPool } from "./launcher.ts";
import { openOrphanGuard } from "./orphan-guard.ts";
import { startProcess } from "./start-process.ts";

export interface PoolSettings {
  readonly runDir: string;
  readonly maxHeapMb: number | undefined;
  /** The variables of the worker in a slot, beside those of this process. */
  readonly variables: (slot: number) => Readonly<Record<string, string>>;
  /** So many are started before anyone asks. */
  readonly early: number;
  /** A worker has built its env. */
  readonly onReady?: (() => void) | undefined;
}

/** Starts worker processes of this machine, some of them early. None of them outlives this process. */
export function openProcessPool({ runDir, maxHeapMb, variables, early, onReady }: PoolSettings): WorkerPool {
  const guard = openOrphanGuard();
  const pool = openEarlyPool(early, ({ name, slot }) =>
    startProcess({ runDir, name, variables: variables(slot), maxHeapMb, onStart: guard.watch, onReady }),
  );
  return {
    start: pool.start,
    close() {
      pool.close();
      guard.dismiss();
    },
  };
}
