import { newWorkerName } from "../worker/session.ts";
import type { WorkerPool } from "./launcher.ts";
import type { StartedWorker, StartWorker } from "./supervise.ts";

/** Starts so many workers at once, before anyone asks: they start up while the driver prepares the run. */
export function openEarlyPool(early: number, startNow: StartWorker): WorkerPool {
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
    },
  };
}
