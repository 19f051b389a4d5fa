import { rmSync, writeFileSync } from "node:fs";
import type { Claim } from "../store/claim-unit.ts";
import { type Lease, unbeatenTtlMs } from "../store/lease.ts";
import type { RunPaths } from "../store/run-paths.ts";
import { firstReport, renewReport, reportText } from "../store/worker-report.ts";
import { beatInThread, type StartBeating } from "./beat-in-thread.ts";
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
  /** To be called now and then between items: ticks, and has the heart beat when it is time. */
  beat(): void;
  /** From now on the lease of this claim is renewed. */
  hold(claim: Claim): void;
  /** So many items of the shard that is held were done by attempts before this one. */
  goOnFrom(position: number): void;
  letGo(): void;
  /** Whether the lease that is held was taken away. */
  isLost(): boolean;
  /** A call of `forward` with a time limit begins, and ends. */
  enterItem(position: number, count: number): void;
  leaveItem(): void;
  /** The worker is to leave: asked from outside, or because its parent is gone. */
  askToLeave(): void;
  isLeaving(): boolean;
  /** The worker is to finish the shard it is at, and to claim no other. */
  isDraining(): boolean;
  count(counters: { position: number; done: number; failed: number; dropped: number }): void;
  stop(): void;
}

const tickMs = 20;
// Between items a worker ticks by itself. Its heart only ticks for one that reads no clock: many quick items in a row of which
// one is slow. To beat more often would take from the items.
const beatMs = 100;
const usualRenewMs = 500;
const renewMsPerWorker = 5;
// A thread costs some 50 ms of a core: what is over before does without, unless it must be watched from the start.
const threadAfterMs = 1000;
// The least life of a lease whose thread is being started already.
const startingTtlMs = 5000;

interface HeartbeatSettings {
  readonly watch: Watch | undefined;
  /** It must be seen to live from the start. */
  readonly isUrgent: boolean;
  /** Where the heart beats, if not in a thread of its own. */
  readonly startBeating: StartBeating | undefined;
  readonly isSeenFromAfar: boolean;
  /** How many workers renew their leases on the same file system. */
  readonly company: number;
}

/**
 * Gives a worker its sign of life: somebody who renews its lease, reports its progress and ticks. It is done in another
 * thread because `forward` may block this one for hours, and the lease must not run out meanwhile.
 */
export function startHeartbeat(
  paths: RunPaths,
  lease: Lease,
  { watch, isUrgent, isSeenFromAfar, company, startBeating }: HeartbeatSettings,
): Heartbeat {
  const control = new Int32Array(new SharedArrayBuffer(4 * controlSlot.size));
  const counters = new Float64Array(new SharedArrayBuffer(8 * counterSlot.size));
  control[controlSlot.held] = nothingHeld;
  control[controlSlot.lostEpoch] = -1;
  const file = paths.worker(lease.worker);
  const isAtOnce = startBeating !== undefined || isSeenFromAfar || (watch !== undefined && isUrgent);
  const early = { ...firstReport(lease), ttlMs: Math.max(isAtOnce ? startingTtlMs : unbeatenTtlMs, lease.ttlMs) };
  writeFileSync(file, reportText(early));

  const data: HeartbeatData = {
    control,
    counters,
    watch,
    beatMs: Math.min(beatMs, renewMs(lease, company)),
    runDir: paths.root,
    worker: lease.worker,
    leaseText: JSON.stringify(lease),
    renewMs: renewMs(lease, company),
  };
  let beating: { stop(): void } | undefined;
  const start = () => {
    // A process that may have no more threads goes on without: between items it ticks by itself.
    beating ??= (startBeating ?? beatInThread)(data, () => {
      beating = { stop() {} };
    });
  };
  let timer: NodeJS.Timeout | undefined;
  const startSoon = () => {
    timer ??= setTimeout(start, threadAfterMs).unref();
  };
  // A driver has nothing to lose until it merges.
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
      Atomics.store(control, controlSlot.epoch, claim.epoch);
      Atomics.store(control, controlSlot.held, claim.unit === "merge" ? mergeCode : claim.unit);
      // Whoever looks at the run while its first item blocks is to see what it is at.
      if (isFirst && claim.unit !== "merge")
        renewReport(file, reportText({ ...early, shard: claim.unit, epoch: claim.epoch }));
      isFirst = false;
    },
    goOnFrom(position) {
      counters[counterSlot.position] = position;
      counters[counterSlot.from] = position;
    },
    letGo() {
      control[controlSlot.callItems] = 0;
      Atomics.store(control, controlSlot.held, nothingHeld);
      Atomics.store(control, controlSlot.lostEpoch, -1);
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
    isLost: () => Atomics.load(control, controlSlot.lostEpoch) === Atomics.load(control, controlSlot.epoch),
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
      rmSync(file, { force: true });
    },
  };
}

/** Often, so that others see what goes on; but a thousand workers must not keep their file system busy with that. */
function renewMs({ ttlMs }: Lease, company: number): number {
  return Math.min(Math.max(usualRenewMs, renewMsPerWorker * company), ttlMs / 6);
}
