import { newWorkerName } from "../../worker/session.ts";
import type { StartedWorker, StartWorker, WorkerPool } from "../launcher.ts";

/** Starts `early` workers at once, so that they load while the driver prepares the run. */
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
