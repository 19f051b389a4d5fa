import { removeFileInRun, rewriteInRun } from "../../run-folder/files/run-files.ts";
import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { firstReport, renewReport, reportText } from "../../run-folder/files/worker-report.ts";
import type { Claim } from "../../run-folder/lease/claim.ts";
import { type Lease, unbeatenTtlMs } from "../../run-folder/lease/lease.ts";
import { beatInThread, type StartHeartbeatThread } from "./beat-in-thread.ts";
import {
  controlSlot,
  counterSlot,
  type HeartbeatData,
  mergeCode,
  nothingHeld,
  type Watch,
} from "./heartbeat-protocol.ts";

/** The worker's side of its heartbeat. */
export interface Heartbeat {
  /** Its first element changes up to fifty times a second; reading it costs next to nothing. */
  readonly ticks: Int32Array;
  /** To be called between items: ticks, and starts the thread when it is time. */
  beat(): void;
  /** From now on the lease of this claim is renewed. */
  hold(claim: Claim): void;
  /** This many items of the held shard were done by earlier attempts. */
  resumeAt(position: number): void;
  release(): void;
  /** Whether the lease that is held was taken away. */
  isLost(): boolean;
  /** A call of `forward` with a time limit begins, and ends. */
  enterItem(position: number, count: number): void;
  leaveItem(): void;
  /** The worker must leave: it was asked to, or its parent is gone. */
  askToLeave(): void;
  isLeaving(): boolean;
  /** The worker finishes its current shard and claims no other. */
  isDraining(): boolean;
  count(counters: { position: number; done: number; failed: number; dropped: number }): void;
  stop(): void;
}

const tickMs = 20;
// Between items a worker ticks itself. The thread ticks for a worker that reads no clock: many quick items in a row,
// one of which is slow. More frequent beats would take processor time from the items.
const beatMs = 100;
const usualRenewMs = 500;
const renewMsPerWorker = 5;
// A thread costs some 50 ms of a core: shorter runs have none, unless they must be watched from the start.
const threadAfterMs = 1000;
// The shortest TTL of a lease while its thread is starting.
const startingTtlMs = 5000;

interface HeartbeatSettings {
  readonly watch: Watch | undefined;
  /** The heartbeat must begin at once. */
  readonly isUrgent: boolean;
  /** Starts the heartbeat somewhere else than in a new thread. */
  readonly startHeartbeatThread: StartHeartbeatThread | undefined;
  readonly hasRemoteObservers: boolean;
  /** How many workers renew their leases on the same file system. */
  readonly workerCount: number;
}

/**
 * Starts a worker's heartbeat: it renews the lease, reports progress and ticks. It runs in another thread because
 * `forward` may block this one for hours, and the lease must not expire meanwhile.
 */
export function startHeartbeat(
  paths: RunPaths,
  lease: Lease,
  { watch, isUrgent, hasRemoteObservers, workerCount, startHeartbeatThread }: HeartbeatSettings,
): Heartbeat {
  const control = new Int32Array(new SharedArrayBuffer(4 * controlSlot.size));
  const counters = new Float64Array(new SharedArrayBuffer(8 * counterSlot.size));
  control[controlSlot.held] = nothingHeld;
  control[controlSlot.lostAttempt] = -1;
  const file = paths.worker(lease.worker);
  const isAtOnce = startHeartbeatThread !== undefined || hasRemoteObservers || (watch !== undefined && isUrgent);
  const early = { ...firstReport(lease), ttlMs: Math.max(isAtOnce ? startingTtlMs : unbeatenTtlMs, lease.ttlMs) };
  rewriteInRun(paths.root, file, reportText(early));

  const data: HeartbeatData = {
    control,
    counters,
    watch,
    beatMs: Math.min(beatMs, renewMs(lease, workerCount)),
    runDir: paths.root,
    worker: lease.worker,
    leaseText: JSON.stringify(lease),
    renewMs: renewMs(lease, workerCount),
  };
  let beating: { stop(): void } | undefined;
  const start = () => {
    // A process that may start no more threads continues without one: it ticks between items.
    beating ??= (startHeartbeatThread ?? beatInThread)(data, () => {
      beating = { stop() {} };
    });
  };
  let timer: NodeJS.Timeout | undefined;
  const startSoon = () => {
    timer ??= setTimeout(start, threadAfterMs).unref();
  };
  // A driver holds no lease until it merges.
  if (isAtOnce) start();
  else if (lease.role !== "driver") startSoon();
  const beganMs = performance.now();
  let lastTickMs = beganMs;
  let isFirst = true;
  return {
    ticks: control,
    beat() {
      const now = performance.now();
      if (now - lastTickMs < tickMs) return;
      lastTickMs = now;
      Atomics.add(control, controlSlot.tick, 1);
      if (now - beganMs >= threadAfterMs) start();
    },
    hold(claim) {
      startSoon();
      counters[counterSlot.position] = 0;
      counters[counterSlot.from] = 0;
      counters[counterSlot.since] = Date.now();
      Atomics.store(control, controlSlot.attempt, claim.attempt);
      Atomics.store(control, controlSlot.held, claim.target === "merge" ? mergeCode : claim.target);
      // So that a display shows the shard even while its first item blocks.
      if (isFirst && claim.target !== "merge")
        renewReport(paths, file, reportText({ ...early, shard: claim.target, epoch: claim.attempt }));
      isFirst = false;
    },
    resumeAt(position) {
      counters[counterSlot.position] = position;
      counters[counterSlot.from] = position;
    },
    release() {
      control[controlSlot.callItems] = 0;
      Atomics.store(control, controlSlot.held, nothingHeld);
      Atomics.store(control, controlSlot.lostAttempt, -1);
    },
    enterItem(position, count) {
      counters[counterSlot.callPosition] = position;
      control[controlSlot.callItems] = count;
      Atomics.add(control, controlSlot.call, 1);
    },
    leaveItem() {
      control[controlSlot.callItems] = 0;
    },
    askToLeave() {
      Atomics.store(control, controlSlot.leaving, 1);
    },
    isLeaving: () => Atomics.load(control, controlSlot.leaving) === 1,
    isDraining: () => Atomics.load(control, controlSlot.draining) === 1,
    isLost: () => Atomics.load(control, controlSlot.lostAttempt) === Atomics.load(control, controlSlot.attempt),
    count({ position, done, failed, dropped }) {
      counters[counterSlot.position] = position;
      counters[counterSlot.done] = done;
      counters[counterSlot.failed] = failed;
      counters[counterSlot.dropped] = dropped;
    },
    stop() {
      clearTimeout(timer);
      Atomics.store(control, controlSlot.ending, 1);
      Atomics.notify(control, controlSlot.ending);
      beating?.stop();
      removeFileInRun(paths.root, file);
    },
  };
}

/** Often, so that displays are current; less often with many workers, to spare the file system. */
function renewMs({ ttlMs }: Lease, workerCount: number): number {
  return Math.min(Math.max(usualRenewMs, renewMsPerWorker * workerCount), ttlMs / 6);
}
