import { newWorkerName } from "../worker/session.ts";
import type { WorkerPool } from "./launcher.ts";
import { openOrphanGuard } from "./orphan-guard.ts";
import { startProcess } from "./start-process.ts";
import type { StartedWorker, StartWorker } from "./supervise.ts";

export interface PoolSettings {
  readonly runDir: string;
  readonly maxHeapMb: number | undefined;
  /** The variables of the worker in a slot, beside those of this process. */
  readonly variables: (slot: number) => Readonly<Record<string, string>>;
  /** So many are started at once, before anyone asks: they start up while the driver prepares the run. */
  readonly early: number;
  /** A worker has built its env. */
  readonly onReady?: (() => void) | undefined;
}

/** Starts worker processes of this machine, some of them early. None of them outlives this process. */
export function openProcessPool({ runDir, maxHeapMb, variables, early, onReady }: PoolSettings): WorkerPool {
  const guard = openOrphanGuard();
  const startNow: StartWorker = ({ name, slot }) =>
    startProcess({ runDir, name, variables: variables(slot), maxHeapMb, onStart: guard.watch, onReady });
  const waiting = new Map<number, StartedWorker>();
  for (let slot = 0; slot < early; slot++) waiting.set(slot, startNow({ slot, name: newWorkerName() }));
  return {
    start(place) {
      const worker = waiting.get(place.slot) ?? startNow(place);
      waiting.delete(place.slot);
      return worker;
    },
    close() {
      for (const worker of waiting.values()) worker.kill();
      guard.dismiss();
    },
  };
}
