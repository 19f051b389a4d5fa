import { controlSlot } from "../../../src/worker/heartbeat/heartbeat-protocol.ts";

/** As in the library; but threads of the machine take turns, and a blocking one would stop all of them. */
export function everyTick(control: Int32Array, everyMs: number, act: () => void): void {
  const timer = setInterval(() => {
    if (control[controlSlot.ending] === 1) clearInterval(timer);
    else act();
  }, everyMs);
}
