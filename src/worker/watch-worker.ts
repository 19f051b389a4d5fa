import type { RunPaths } from "../run-folder/files/run-paths.ts";
import { noteRelease, noteStuck } from "../run-folder/history/attempt-notes.ts";
import { ignoreErrors } from "../runtime/ignore-errors.ts";
import { controlSlot, counterSlot, type HeartbeatData, type Watch } from "./heartbeat/heartbeat-protocol.ts";

// The worker itself gives up a promise that takes too long. This thread ends only a call that blocks the worker's
// thread.
const ownTimeoutGraceMs = 250;
// How long a worker without a parent may take to save its work.
const orphanGraceMs = 3000;

/** Checks, between heartbeats, what a blocked worker cannot check itself: its time-out and its parent. */
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
    ignoreErrors(() => noteStuck(attemptFolder(), { position, count, stuckMs: allowedMs }));
    callSinceMs = now;
    endWorker();
  }

  function lookForParent(now: number, parent: number): void {
    if (process.ppid === parent) return;
    orphanSinceMs ??= now;
    Atomics.store(control, controlSlot.leaving, 1);
    if (now - orphanSinceMs < orphanGraceMs) return;
    // Not the item's fault: the shard is given back, with what its last checkpoint saved.
    ignoreErrors(() => noteRelease(attemptFolder(), "its driver was gone"));
    endWorker();
  }

  function attemptFolder(): string {
    return paths.attempt(Atomics.load(control, controlSlot.held), Atomics.load(control, controlSlot.attempt));
  }
}
