import { controlSlot } from "./heartbeat-protocol.ts";

/**
 * Calls `act` every `everyMs` until the control word `ending` is set. Atomics.wait takes half the CPU time of a timer,
 * and blocks the thread.
 */
export function everyTick(control: Int32Array, everyMs: number, act: () => void): void {
  while (Atomics.wait(control, controlSlot.ending, 0, everyMs) === "timed-out") act();
}
