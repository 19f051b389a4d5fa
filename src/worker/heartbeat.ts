import { rmSync, writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Claim } from "../store/claim-unit.ts";
import type { Lease } from "../store/lease.ts";
import type { RunPaths } from "../store/run-paths.ts";
import { firstReport, reportText } from "../store/worker-report.ts";
import { controlSlot, counterSlot, type HeartbeatData, mergeCode, nothingHeld } from "./heartbeat-protocol.ts";

/** The worker's side of its heartbeat. */
export interface Heartbeat {
  /** Its first element changes about a hundred times a second; reading it costs next to nothing. */
  readonly ticks: Int32Array;
  /** From now on the thread renews the lease of this claim. */
  hold(claim: Claim): void;
  letGo(): void;
  /** Whether the lease that is held was taken away. */
  isLost(): boolean;
  count(counters: { position: number; done: number; failed: number; dropped: number }): void;
  stop(): Promise<void>;
}

const tickMs = 10;
const longestRenewMs = 500;

/**
 * Starts the thread that renews the worker's lease, reports its progress and ticks. It is a thread of its own because
 * `forward` may block this one for hours, and the lease must not run out meanwhile.
 */
export function startHeartbeat(paths: RunPaths, lease: Lease): Heartbeat {
  const control = new Int32Array(new SharedArrayBuffer(4 * controlSlot.size));
  const counters = new Float64Array(new SharedArrayBuffer(8 * counterSlot.size));
  control[controlSlot.held] = nothingHeld;
  control[controlSlot.lostEpoch] = -1;
  const workerData: HeartbeatData = {
    control,
    counters,
    tickMs,
    runDir: paths.root,
    worker: lease.worker,
    leaseText: JSON.stringify(lease),
    renewMs: Math.min(longestRenewMs, lease.ttlMs / 6),
  };
  writeFileSync(paths.worker(lease.worker), reportText(firstReport(lease)));
  const thread = new Worker(new URL("./heartbeat-thread.js", import.meta.url), { workerData, execArgv: [] });
  thread.unref();
  return {
    ticks: control,
    hold(claim) {
      Atomics.store(control, controlSlot.epoch, claim.epoch);
      Atomics.store(control, controlSlot.held, claim.unit === "merge" ? mergeCode : claim.unit);
    },
    letGo() {
      Atomics.store(control, controlSlot.held, nothingHeld);
      Atomics.store(control, controlSlot.lostEpoch, -1);
    },
    isLost: () => Atomics.load(control, controlSlot.lostEpoch) === Atomics.load(control, controlSlot.epoch),
    count({ position, done, failed, dropped }) {
      counters[counterSlot.position] = position;
      counters[counterSlot.done] = done;
      counters[counterSlot.failed] = failed;
      counters[counterSlot.dropped] = dropped;
    },
    async stop() {
      await thread.terminate();
      rmSync(paths.worker(lease.worker), { force: true });
    },
  };
}
