import { quietly } from "../shared/quietly.ts";
import { noteRelease, noteStuck } from "../store/attempt-notes.ts";
import type { RunPaths } from "../store/run-paths.ts";
import { controlSlot, counterSlot, type HeartbeatData, type Watch } from "./heartbeat-protocol.ts";

// A promise that takes too long is given up by the worker itself; only one that blocks its thread is left to this one.
const ownTimeoutGraceMs = 250;
// How long an orphan may take to save its work.
const orphanGraceMs = 3000;

/** Looks out, between beats, for what a blocked worker cannot see itself: its time-out and its parent. */
export function watchWorker(
  { control, counters }: HeartbeatData,
  { itemTimeoutMs, parentPid, endWorker }: Watch & { readonly endWorker: () => void },
  paths: RunPaths,
): (now: number) => void {
  let call = -1;
  let callSinceMs = 0;
  let orphanSinceMs: number | undefined;
  return (now) => {
    if (itemTimeoutMs !== undefined) lookForStuckCall(now, itemTimeoutMs);
    if (parentPid !== undefined) lookForParent(now, parentPid);
  };

  function lookForStuckCall(now: number, timeoutMs: number): void {
    const current = Atomics.load(control, controlSlot.call);
    const count = Atomics.load(control, controlSlot.callItems);
    if (current !== call || count === 0) {
      call = current;
      callSinceMs = now;
      return;
    }
    const allowedMs = timeoutMs * count;
    if (now - callSinceMs < allowedMs + ownTimeoutGraceMs) return;
    const position = counters[counterSlot.callPosition]!;
    // The worker is ended all the same; without the note the next attempt knows less about why.
    quietly(() => noteStuck(attemptFolder(), { position, count, stuckMs: allowedMs }));
    callSinceMs = now;
    endWorker();
  }

  function lookForParent(now: number, parent: number): void {
    if (process.ppid === parent) return;
    orphanSinceMs ??= now;
    Atomics.store(control, controlSlot.leaving, 1);
    if (now - orphanSinceMs < orphanGraceMs) return;
    // Not the item's fault: the shard is given back, with what its last checkpoint saved.
    quietly(() => noteRelease(attemptFolder(), "its driver was gone"));
    endWorker();
  }

  function attemptFolder(): string {
    return paths.attempt(Atomics.load(control, controlSlot.held), Atomics.load(control, controlSlot.epoch));
  }
}
