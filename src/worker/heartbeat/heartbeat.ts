import { removeFileInRun, rewriteInRun } from "../../run-folder/files/run-files.ts";
import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { firstReport, renewReport, reportText } from "../../run-folder/files/worker-report.ts";
import type { Claim } from "../../run-folder/lease/claim.ts";
import { type Lease, unbeatenTtlMs } from "../../run-folder/lease/lease.ts";
import { ignoreErrors } from "../../runtime/ignore-errors.ts";
import { beatInThread, type StartHeartbeatThread } from "./beat-in-thread.ts";
import {
  controlSlot,
  counterSlot,
  type HeartbeatData,
  heldAt,
  heldSlot,
  nothingHeld,
  type Watch,
} from "./heartbeat-protocol.ts";
import { type Hold, holdClaim } from "./hold-claim.ts";

/** The worker's side of its heartbeat. */
export interface Heartbeat {
  /** Its first element changes up to fifty times a second; reading it costs next to nothing. */
  readonly ticks: Int32Array;
  /** To be called between items: ticks, and starts the thread when it is time. */
  beat(): void;
  /** From now on the lease of this claim is renewed. */
  hold(claim: Claim): Hold;
  /** The worker must leave: it was asked to, or its parent is gone. */
  askToLeave(): void;
  isLeaving(): boolean;
  /** The worker finishes its current shard and claims no other. */
  isDraining(): boolean;
  /** What the worker has done in all its shards, and what it does now. */
  count(counts: WorkerCounts): void;
  stop(): void;
}

export interface WorkerCounts {
  readonly done: number;
  readonly failed: number;
  readonly dropped: number;
  /** Calls of `forward` that are open, where there may be several. */
  readonly inFlight?: number | undefined;
  /** Calls that wait for the rate limit, and those that wait for their next try. */
  readonly waiting?: number | undefined;
  readonly retrying?: number | undefined;
  /** Calls that were repeated, so far. */
  readonly retries?: number | undefined;
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
  /** How many claims the worker may hold at the same time. Default: 1. */
  readonly maxHeld?: number | undefined;
}

/**
 * Starts a worker's heartbeat: it renews the lease, reports progress and ticks. It runs in another thread because
 * `forward` may block this one for hours, and the lease must not expire meanwhile.
 */
export function startHeartbeat(
  paths: RunPaths,
  lease: Lease,
  { watch, isUrgent, hasRemoteObservers, workerCount, startHeartbeatThread, maxHeld = 1 }: HeartbeatSettings,
): Heartbeat {
  const { word, counter } = heldAt(maxHeld);
  const control = new Int32Array(new SharedArrayBuffer(4 * word));
  const counters = new Float64Array(new SharedArrayBuffer(8 * counter));
  for (let i = 0; i < maxHeld; i++) control[heldAt(i).word + heldSlot.target] = nothingHeld;
  const file = paths.worker(lease.worker);
  const isAtOnce = startHeartbeatThread !== undefined || hasRemoteObservers || (watch !== undefined && isUrgent);
  const early = { ...firstReport(lease), ttlMs: Math.max(isAtOnce ? startingTtlMs : unbeatenTtlMs, lease.ttlMs) };
  rewriteInRun(paths.root, file, reportText(early));

  const data: HeartbeatData = {
    control,
    counters,
    maxHeld,
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
      const held = holdClaim(data, claim);
      // So that a display shows the shard even while its first item blocks. Nothing depends on it.
      const { target: shard, attempt: epoch } = claim;
      if (isFirst && shard !== "merge")
        ignoreErrors(() => renewReport(paths, file, reportText({ ...early, shard, epoch })));
      isFirst = false;
      return held;
    },
    askToLeave() {
      Atomics.store(control, controlSlot.leaving, 1);
    },
    isLeaving: () => Atomics.load(control, controlSlot.leaving) === 1,
    isDraining: () => Atomics.load(control, controlSlot.draining) === 1,
    count({ done, failed, dropped, inFlight = 0, waiting = 0, retrying = 0, retries = 0 }) {
      counters[counterSlot.done] = done;
      counters[counterSlot.failed] = failed;
      counters[counterSlot.dropped] = dropped;
      counters[counterSlot.inFlight] = inFlight;
      counters[counterSlot.waiting] = waiting;
      counters[counterSlot.retrying] = retrying;
      counters[counterSlot.retries] = retries;
    },
    stop() {
      clearTimeout(timer);
      Atomics.store(control, controlSlot.ending, 1);
      Atomics.notify(control, controlSlot.ending);
      beating?.stop();
      // Left behind, it is removed once it is old.
      ignoreErrors(() => removeFileInRun(paths.root, file));
    },
  };
}

/** Often, so that displays are current; less often with many workers, to spare the file system. */
function renewMs({ ttlMs }: Lease, workerCount: number): number {
  return Math.min(Math.max(usualRenewMs, renewMsPerWorker * workerCount), ttlMs / 6);
}
