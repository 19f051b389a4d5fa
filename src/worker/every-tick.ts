import { controlSlot } from "./heartbeat-protocol.ts";

/**
 * Does something again and again until the thread is told to end. It waits instead of having a timer call it: that takes
 * half the processor's time, which is the workers'. Nothing else happens in the thread meanwhile.
 */
export function everyTick(control: Int32Array, everyMs: number, act: () => void): void {
  while (Atomics.wait(control, controlSlot.ending, 0, everyMs) === "timed-out") act();
}
