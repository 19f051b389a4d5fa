import { runPaths } from "../../run-folder/files/run-paths.ts";
import { renewReport, reportText } from "../../run-folder/files/worker-report.ts";
import type { Lease } from "../../run-folder/lease/lease.ts";
import { isDrainOrdered, isStopOrdered } from "../../run-folder/run/stop-order.ts";
import { cgroupMemoryLimit } from "../shard/cgroup-memory.ts";
import { watchWorker } from "../watch-worker.ts";
import { controlSlot, counterSlot, type HeartbeatData, mergeCode, nothingHeld } from "./heartbeat-protocol.ts";

/**
 * Returns one beat of a worker's heartbeat, to be called every `beatMs` in a thread that the worker's items do not
 * block. It ticks, renews the lease, reports progress, and calls `endWorker` where the worker is stuck or has no parent
 * any more.
 */
export function openBeat(data: HeartbeatData, endWorker: () => void): () => void {
  const { control, counters } = data;
  const paths = runPaths(data.runDir);
  const lease = JSON.parse(data.leaseText) as Lease;
  const look = data.watch === undefined ? undefined : watchWorker(data, { ...data.watch, endWorker }, paths);
  // In the past, so that the first beat renews the lease: until then it has the long TTL of a worker without a
  // heartbeat.
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
      // A temporary error of the file system must not end the heartbeat: the next beat tries again.
    }
  };

  function renew(now: number): void {
    if (isStopOrdered(paths)) Atomics.store(control, controlSlot.leaving, 1);
    if (isDrainOrdered(paths)) Atomics.store(control, controlSlot.draining, 1);
    const held = Atomics.load(control, controlSlot.held);
    const attempt = Atomics.load(control, controlSlot.attempt);
    const text = reportText(measure(now, held, attempt));
    if (!renewReport(paths, paths.worker(data.worker), text) || held === nothingHeld) return;
    // A lease that is a hard link is renewed by the write above; one that is a copy is renewed here.
    const isThere = renewReport(paths, paths.lease(held === mergeCode ? "merge" : held, attempt), text);
    // The worker may have committed meanwhile and hold another shard by now.
    const isStillHeld =
      Atomics.load(control, controlSlot.held) === held && Atomics.load(control, controlSlot.attempt) === attempt;
    if (!isThere && isStillHeld) Atomics.store(control, controlSlot.lostAttempt, attempt);
  }

  function measure(now: number, held: number, attempt: number) {
    const done = counters[counterSlot.done]!;
    const recent = (done - doneAtLast) / ((now - lastRenewMs) / 1000);
    rate = rate === 0 ? recent : rate * 0.7 + recent * 0.3;
    lastRenewMs = now;
    doneAtLast = done;
    return {
      ...lease,
      shard: held,
      epoch: attempt,
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
