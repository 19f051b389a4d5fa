import type { RunPaths } from "../run-folder/files/run-paths.ts";
import { noteRelease, noteStuck } from "../run-folder/history/attempt-notes.ts";
import { ignoreErrors } from "../runtime/ignore-errors.ts";
import {
  controlSlot,
  type HeartbeatData,
  heldAt,
  heldCounter,
  heldSlot,
  type Watch,
} from "./heartbeat/heartbeat-protocol.ts";

// The worker itself gives up a promise that takes too long. This thread ends only a call that blocks the worker's
// thread.
const timeoutGraceMs = 250;
// How long a worker without a parent may take to save its work.
const orphanGraceMs = 3000;

/** Checks, between heartbeats, what a blocked worker cannot check itself: its time-out and its parent. */
export function watchWorker(
  { control, counters, maxHeld }: HeartbeatData,
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
    const calls = heldShards().filter(({ word }) => Atomics.load(control, word + heldSlot.callItems) > 0);
    if (current !== call || calls.length === 0) {
      call = current;
      callSinceMs = now;
      return;
    }
    const items = Math.max(...calls.map(({ word }) => Atomics.load(control, word + heldSlot.callItems)));
    const allowedMs = timeoutMs * items;
    if (now - callSinceMs < allowedMs + timeoutGraceMs) return;
    // The worker is ended all the same; without the notes the next attempts know less about why.
    for (const { word, counter, folder } of calls) {
      const position = counters[counter + heldCounter.callPosition]!;
      const count = Atomics.load(control, word + heldSlot.callSpan);
      ignoreErrors(() => noteStuck(folder, { position, count, stuckMs: allowedMs }));
    }
    callSinceMs = now;
    endWorker();
  }

  function lookForParent(now: number, parent: number): void {
    if (process.ppid === parent) return;
    orphanSinceMs ??= now;
    Atomics.store(control, controlSlot.leaving, 1);
    if (now - orphanSinceMs < orphanGraceMs) return;
    // Not the item's fault: the shard is given back, with what its last checkpoint saved.
    for (const { folder } of heldShards()) ignoreErrors(() => noteRelease(folder, "its driver was gone"));
    endWorker();
  }

  function heldShards() {
    return Array.from({ length: maxHeld }, (_, i) => heldAt(i))
      .map(({ word, counter }) => ({ word, counter, target: Atomics.load(control, word + heldSlot.target) }))
      .filter(({ target }) => target >= 0)
      .map((held) => ({
        ...held,
        folder: paths.attempt(held.target, Atomics.load(control, held.word + heldSlot.attempt)),
      }));
  }
}
