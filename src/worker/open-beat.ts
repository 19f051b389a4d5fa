import type { Lease } from "../store/lease.ts";
import { runPaths } from "../store/run-paths.ts";
import { isDrainOrdered, isStopOrdered } from "../store/stop-order.ts";
import { renewReport, reportText } from "../store/worker-report.ts";
import { cgroupMemoryLimit } from "./cgroup-memory.ts";
import { controlSlot, counterSlot, type HeartbeatData, mergeCode, nothingHeld } from "./heartbeat-protocol.ts";
import { watchWorker } from "./watch-worker.ts";

/**
 * One beat of a worker's heart, to be called every `beatMs` in a thread that the worker's items do not block: it ticks,
 * renews the lease, reports progress and looks whether the worker is stuck or orphaned; then `endWorker` is called.
 */
export function openBeat(data: HeartbeatData, endWorker: () => void): () => void {
  const { control, counters } = data;
  const paths = runPaths(data.runDir);
  const lease = JSON.parse(data.leaseText) as Lease;
  const look = data.watch === undefined ? undefined : watchWorker(data, { ...data.watch, endWorker }, paths);
  // Long ago, so that the first beat renews: until then the lease has the long life of a worker whose heart does not beat.
  let lastRenewMs = Number.NEGATIVE_INFINITY;
  let doneAtLast = counters[counterSlot.done]!;
  let rate = 0;
  const memoryLimit = cgroupMemoryLimit();

  return () => {
    Atomics.add(control, controlSlot.tick, 1);
    const now = performance.now();
    look?.(now);
    if (now - lastRenewMs < data.renewMs) return;
    try {
      renew(now);
    } catch {
      // A passing fault of the file system must not end the heartbeat: the next beat tries again.
    }
  };

  function renew(now: number): void {
    if (isStopOrdered(paths)) Atomics.store(control, controlSlot.leaving, 1);
    if (isDrainOrdered(paths)) Atomics.store(control, controlSlot.draining, 1);
    const held = Atomics.load(control, controlSlot.held);
    const epoch = Atomics.load(control, controlSlot.epoch);
    const text = reportText(measure(now, held, epoch));
    if (!renewReport(paths.worker(data.worker), text) || held === nothingHeld) return;
    // Where the lease is a link this writes the same file again; where it is a copy it must be renewed by itself.
    const isThere = renewReport(paths.lease(held === mergeCode ? "merge" : held, epoch), text);
    // The worker may have committed meanwhile; then it holds something else by now.
    const isStillHeld =
      Atomics.load(control, controlSlot.held) === held && Atomics.load(control, controlSlot.epoch) === epoch;
    if (!isThere && isStillHeld) Atomics.store(control, controlSlot.lostEpoch, epoch);
  }

  function measure(now: number, held: number, epoch: number) {
    const done = counters[counterSlot.done]!;
    const recent = (done - doneAtLast) / ((now - lastRenewMs) / 1000);
    rate = rate === 0 ? recent : rate * 0.7 + recent * 0.3;
    lastRenewMs = now;
    doneAtLast = done;
    return {
      ...lease,
      shard: held,
      epoch,
      position: counters[counterSlot.position]!,
      done,
      failed: counters[counterSlot.failed]!,
      dropped: counters[counterSlot.dropped]!,
      itemsPerSecond: rate,
      from: counters[counterSlot.from]!,
      since: counters[counterSlot.since]!,
      rss: process.memoryUsage.rss(),
      ...(memoryLimit === undefined ? {} : { memoryLimit }),
    };
  }
}
