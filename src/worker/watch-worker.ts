import { BroadcastChannel } from "node:worker_threads";
import { quietly } from "../shared/quietly.ts";
import { noteRelease, noteStuck } from "../store/attempt-notes.ts";
import type { RunPaths } from "../store/run-paths.ts";
import { controlSlot, counterSlot, type HeartbeatData, type Watch } from "./heartbeat-protocol.ts";

// A promise that takes too long is given up by the worker itself; only one that blocks its thread is left to this one.
const ownTimeoutGraceMs = 250;
// How long an orphan may take to save its work.
const orphanGraceMs = 3000;
const parentEveryMs = 100;

/** Looks out, from the heartbeat's thread, for what a blocked worker cannot see itself: its time-out and its parent. */
export function watchWorker(
  { control, counters }: HeartbeatData,
  watch: Watch,
  paths: RunPaths,
): (now: number) => void {
  let call = -1;
  let callSinceMs = 0;
  let lastParentMs = 0;
  let orphanSinceMs: number | undefined;
  return (now) => {
    if (watch.itemTimeoutMs !== undefined) lookForStuckCall(now, watch.itemTimeoutMs);
    if (watch.parentPid !== undefined && now - lastParentMs >= parentEveryMs) lookForParent(now, watch.parentPid);
  };

  function lookForStuckCall(now: number, itemTimeoutMs: number): void {
    const current = Atomics.load(control, controlSlot.call);
    const count = Atomics.load(control, controlSlot.callItems);
    if (current !== call || count === 0) {
      call = current;
      callSinceMs = now;
      return;
    }
    const allowedMs = itemTimeoutMs * count;
    if (now - callSinceMs < allowedMs + ownTimeoutGraceMs) return;
    const position = counters[counterSlot.callPosition]!;
    // The worker is ended all the same; without the note the next attempt knows less about why.
    quietly(() => noteStuck(attemptFolder(), { position, count, stuckMs: allowedMs }));
    callSinceMs = now;
    endWorker();
  }

  function lookForParent(now: number, parentPid: number): void {
    lastParentMs = now;
    if (process.ppid === parentPid) return;
    orphanSinceMs ??= now;
    Atomics.store(control, controlSlot.leaving, 1);
    if (now - orphanSinceMs < orphanGraceMs) return;
    // Not the item's fault: the shard is given back, with what its last checkpoint saved.
    quietly(() => noteRelease(attemptFolder()));
    endWorker();
  }

  function attemptFolder(): string {
    return paths.attempt(Atomics.load(control, controlSlot.held), Atomics.load(control, controlSlot.epoch));
  }

  function endWorker(): void {
    if (watch.endBy === "process") process.kill(process.pid, "SIGKILL");
    else new BroadcastChannel(watch.endBy.channel).postMessage("stuck");
  }
}
