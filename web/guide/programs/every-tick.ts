import { controlSlot } from "../../../src/worker/heartbeat-protocol.ts";

/** As in the library; but the threads of the machine take turns, and one that waits would hold up all of them. */
export function everyTick(control: Int32Array, everyMs: number, act: () => void): void {
  const timer = setInterval(() => {
    if (control[controlSlot.ending] === 1) clearInterval(timer);
    else act();
  }, everyMs);
}
