import { isShared } from "../../run-folder/files/file-system.ts";
import { runPaths } from "../../run-folder/files/run-paths.ts";
import { withoutPatience } from "../../run-folder/files/store-calls.ts";
import { renewReport, reportText } from "../../run-folder/files/worker-report.ts";
import { growTtl } from "../../run-folder/lease/grown-ttl.ts";
import type { Lease } from "../../run-folder/lease/lease.ts";
import { isDrainOrdered, isStopOrdered } from "../../run-folder/run/stop-order.ts";
import { cgroupMemoryLimit } from "../shard/cgroup-memory.ts";
import { watchWorker } from "../watch-worker.ts";
import {
  controlSlot,
  counterSlot,
  type HeartbeatData,
  heldAt,
  heldCounter,
  heldSlot,
  mergeCode,
  nothingHeld,
} from "./heartbeat-protocol.ts";

/**
 * Returns a function that makes one beat. It is called every `beatMs`, in a thread that the items of the worker do not
 * block. It ticks, renews the lease, reports progress, and calls `endWorker` if the worker is stuck or its parent is
 * gone.
 */
export function openBeat(data: HeartbeatData, endWorker: () => void): () => void {
  const { control, counters } = data;
  const paths = runPaths(data.runDir);
  const lease = JSON.parse(data.leaseText) as Lease;
  const checkWorker = data.watch === undefined ? undefined : watchWorker(data, { ...data.watch, endWorker }, paths);
  // In the past, so that the first beat renews the lease: until then the lease has the long TTL of a worker without
  // heartbeat.
  let lastRenewMs = Number.NEGATIVE_INFINITY;
  let doneAtLast = counters[counterSlot.done]!;
  let rate = 0;
  let beats = 1;
  let { ttlMs } = lease;
  // Whether the last heartbeats were in time. If an attempt is lost nevertheless, others have seen them too late.
  let isInTime = false;
  const beganMs = performance.now();
  let progress = { done: Number.NaN, position: Number.NaN, atMs: beganMs };
  const memoryLimit = cgroupMemoryLimit();

  return () => {
    Atomics.add(control, controlSlot.tick, 1);
    const now = performance.now();
    withoutPatience(() => checkWorker?.(now));
    if (now - lastRenewMs < data.renewMs) return;
    try {
      withoutPatience(() => renew(now));
    } catch {
      // A temporary error of the file system must not end the heartbeat: the next beat tries again.
    }
  };

  function renew(now: number): void {
    if (isStopOrdered(paths)) Atomics.store(control, controlSlot.leaving, 1);
    if (isDrainOrdered(paths)) Atomics.store(control, controlSlot.draining, 1);
    const text = reportText(measure(now));
    if (!renewReport(paths, paths.worker(data.worker), text)) return;
    for (const word of heldWords()) renewLease(word, text);
  }

  /** The positions of the words of all held claims. */
  function heldWords(): number[] {
    const places = Array.from({ length: data.maxHeld }, (_, i) => heldAt(i).word);
    return places.filter((word) => Atomics.load(control, word + heldSlot.target) !== nothingHeld);
  }

  // A lease that is a hard link was renewed with the worker's report. One that is a copy is renewed here.
  function renewLease(word: number, text: string): void {
    const target = Atomics.load(control, word + heldSlot.target);
    const attempt = Atomics.load(control, word + heldSlot.attempt);
    if (target === nothingHeld) return;
    const exists = renewReport(paths, paths.lease(target === mergeCode ? "merge" : target, attempt), text);
    // In the meantime the worker may have committed, and hold another shard.
    const isStillHeld =
      Atomics.load(control, word + heldSlot.target) === target &&
      Atomics.load(control, word + heldSlot.attempt) === attempt;
    if (exists || !isStillHeld) return;
    Atomics.store(control, word + heldSlot.isLost, 1);
    if (isInTime && isShared(paths.root)) ttlMs = growTtl(paths, ttlMs);
  }

  function oldestHeld(): number {
    let oldest = 0;
    let sinceMs = Number.POSITIVE_INFINITY;
    for (let i = 0; i < data.maxHeld; i++) {
      const { word, counter } = heldAt(i);
      const beganMs = counters[counter + heldCounter.since]!;
      if (Atomics.load(control, word + heldSlot.target) === nothingHeld || beganMs >= sinceMs) continue;
      oldest = i;
      sinceMs = beganMs;
    }
    return oldest;
  }

  function measure(now: number) {
    // If several claims are held, the oldest one is reported.
    const { word, counter } = heldAt(oldestHeld());
    const done = counters[counterSlot.done]!;
    const position = counters[counter + heldCounter.position]!;
    if (done !== progress.done || position !== progress.position) progress = { done, position, atMs: now };
    const recent = (done - doneAtLast) / ((now - lastRenewMs) / 1000);
    rate = rate === 0 ? recent : rate * 0.7 + recent * 0.3;
    isInTime = now - lastRenewMs < ttlMs / 2;
    lastRenewMs = now;
    doneAtLast = done;
    return {
      ...lease,
      ttlMs,
      shard: Atomics.load(control, word + heldSlot.target),
      epoch: Atomics.load(control, word + heldSlot.attempt),
      position,
      done,
      failed: counters[counterSlot.failed]!,
      dropped: counters[counterSlot.dropped]!,
      itemsPerSecond: rate,
      from: counters[counter + heldCounter.from]!,
      since: counters[counter + heldCounter.since]!,
      idle: Math.round(now - progress.atMs),
      alive: Math.round(now - beganMs),
      ...(data.maxHeld === 1
        ? {}
        : {
            inFlight: counters[counterSlot.inFlight]!,
            waiting: counters[counterSlot.waiting]!,
            retrying: counters[counterSlot.retrying]!,
            retries: counters[counterSlot.retries]!,
          }),
      beat: beats++,
      rss: process.memoryUsage.rss(),
      ...(memoryLimit === undefined ? {} : { memoryLimit }),
    };
  }
}
