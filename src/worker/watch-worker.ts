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

// The worker itself stops waiting for a promise that takes too long. This thread ends only a call that blocks the
// worker's thread.
const timeoutGraceMs = 250;
// How long a worker without a parent may take to save its work.
const orphanGraceMs = 3000;

/** Checks, between heartbeats, what a blocked worker cannot check itself: its time limit and its parent. */
export function watchWorker(
  { control, counters, maxHeld }: HeartbeatData,
  { itemTimeoutMs, parentPid, endWorker }: Watch & { readonly endWorker: () => void },
  paths: RunPaths,
): (now: number) => void {
  let call = -1;
  let callSinceMs = 0;
  let orphanSinceMs: number | undefined;
  return (now) => {
    if (itemTimeoutMs !== undefined) checkCall(now, itemTimeoutMs);
    if (parentPid !== undefined) checkParent(now, parentPid);
  };

  function checkCall(now: number, timeoutMs: number): void {
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
    // If a note cannot be written, the worker is ended nevertheless; the next attempts then know less about the cause.
    for (const { word, counter, folder } of calls) {
      const position = counters[counter + heldCounter.callPosition]!;
      const count = Atomics.load(control, word + heldSlot.callSpan);
      ignoreErrors(() => noteStuck(folder, { position, count, stuckMs: allowedMs }));
    }
    callSinceMs = now;
    endWorker();
  }

  function checkParent(now: number, parent: number): void {
    if (process.ppid === parent) return;
    orphanSinceMs ??= now;
    Atomics.store(control, controlSlot.leaving, 1);
    if (now - orphanSinceMs < orphanGraceMs) return;
    // The item is not the cause: the shard is released, and the next attempt continues from its last checkpoint.
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
