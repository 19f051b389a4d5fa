import { isSlowFolder } from "../../run-folder/files/is-slow-folder.ts";
import { removeFileInRun, rewriteInRun } from "../../run-folder/files/run-files.ts";
import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { firstReport, renewReport, reportText } from "../../run-folder/files/worker-report.ts";
import type { Claim } from "../../run-folder/lease/claim.ts";
import { type Lease, ttlBeforeHeartbeatMs } from "../../run-folder/lease/lease.ts";
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
  /** Its first element changes up to fifty times a second. Reading it is nearly free. */
  readonly ticks: Int32Array;
  /** Called between items: ticks, and starts the thread when it is time. */
  beat(): void;
  /** Starts to renew the lease of this claim. */
  hold(claim: Claim): Hold;
  /** Asks the worker to leave. */
  askToLeave(): void;
  isLeaving(): boolean;
  /** Whether the worker must claim no other shard after its current one. */
  isDraining(): boolean;
  /** Reports what the worker has done in all its shards, and its open calls. */
  count(counts: WorkerCounts): void;
  stop(): void;
}

export interface WorkerCounts {
  readonly done: number;
  readonly failed: number;
  readonly dropped: number;
  /** Calls of `forward` that are open, if there may be several. */
  readonly inFlight?: number | undefined;
  /** Calls that wait for the rate limit, and those that wait for their next try. */
  readonly waiting?: number | undefined;
  readonly retrying?: number | undefined;
  /** Calls that were repeated so far. */
  readonly retries?: number | undefined;
}

const tickMs = 20;
// Between items a worker ticks itself. The thread ticks for a worker that reads no clock, in a series of quick items of
// which one is slow. More frequent beats would take CPU time from the items.
const beatMs = 100;
const defaultRenewMs = 500;
const slowRenewMs = 2000;
const renewMsPerWorker = 5;
// A thread costs some 50 ms of CPU time: shorter runs have none, unless a watch or a remote observer needs it from the
// start.
const threadAfterMs = 1000;
// The minimum TTL of a lease while its thread is starting.
const startingTtlMs = 5000;

interface HeartbeatSettings {
  readonly watch: Watch | undefined;
  /** The heartbeat must begin at once. */
  readonly startsAtOnce: boolean;
  /** Starts the heartbeat in another place than a new thread. */
  readonly startHeartbeatThread: StartHeartbeatThread | undefined;
  readonly hasRemoteObservers: boolean;
  /** How many workers renew their leases on the same file system. */
  readonly workerCount: number;
  /** How many claims the worker may hold at the same time. Default: 1. */
  readonly maxHeld?: number | undefined;
}

/**
 * Starts a worker's heartbeat: it renews the lease, reports progress and ticks. It runs in another thread, so that the
 * lease does not expire while `forward` blocks this one, perhaps for hours.
 */
export function startHeartbeat(
  paths: RunPaths,
  lease: Lease,
  { watch, startsAtOnce, hasRemoteObservers, workerCount, startHeartbeatThread, maxHeld = 1 }: HeartbeatSettings,
): Heartbeat {
  const { word, counter } = heldAt(maxHeld);
  const control = new Int32Array(new SharedArrayBuffer(4 * word));
  const counters = new Float64Array(new SharedArrayBuffer(8 * counter));
  for (let i = 0; i < maxHeld; i++) control[heldAt(i).word + heldSlot.target] = nothingHeld;
  const file = paths.worker(lease.worker);
  const startsNow = startHeartbeatThread !== undefined || hasRemoteObservers || (watch !== undefined && startsAtOnce);
  const early = {
    ...firstReport(lease),
    ttlMs: Math.max(startsNow ? startingTtlMs : ttlBeforeHeartbeatMs, lease.ttlMs),
  };
  rewriteInRun(paths.root, file, reportText(early));

  const data: HeartbeatData = {
    control,
    counters,
    maxHeld,
    watch,
    beatMs: Math.min(beatMs, renewMs(paths, lease, workerCount)),
    runDir: paths.root,
    worker: lease.worker,
    leaseText: JSON.stringify(lease),
    renewMs: renewMs(paths, lease, workerCount),
  };
  let beating: { stop(): void } | undefined;
  const start = () => {
    // If the process cannot start another thread, it continues without one and ticks between items.
    beating ??= (startHeartbeatThread ?? beatInThread)(data, () => {
      beating = { stop() {} };
    });
  };
  let timer: NodeJS.Timeout | undefined;
  const startSoon = () => {
    timer ??= setTimeout(start, threadAfterMs).unref();
  };
  // A driver holds no lease until it merges.
  if (startsNow) start();
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

/**
 * Leases are renewed often, so that displays are current; with many workers, or where each call is slow, less often, to spare
 * the file system.
 */
function renewMs({ root }: RunPaths, { ttlMs }: Lease, workerCount: number): number {
  const usualMs = isSlowFolder(root) ? slowRenewMs : defaultRenewMs;
  return Math.min(Math.max(usualMs, renewMsPerWorker * workerCount), ttlMs / 6);
}
