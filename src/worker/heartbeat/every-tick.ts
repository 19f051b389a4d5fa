import { controlSlot } from "./heartbeat-protocol.ts";

/**
 * Calls `act` every `everyMs` until the control word `ending` is set. Atomics.wait takes half the processor time of a
 * timer. Nothing else runs in the thread meanwhile.
 */
export function everyTick(control: Int32Array, everyMs: number, act: () => void): void {
  while (Atomics.wait(control, controlSlot.ending, 0, everyMs) === "timed-out") act();
}
