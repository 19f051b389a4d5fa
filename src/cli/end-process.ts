import { whenOutputRead } from "../launchers/take-output.ts";
import { flushOutput } from "../shared/flush-output.ts";
import { whenSynced } from "../store/group-sync.ts";

// What the user's code has just begun to end may do so.
const graceMs = 1000;

/** Has this process end soon, although the user's code may have left something open that would keep it alive. */
export async function endProcess(code: number): Promise<void> {
  await whenSynced();
  await whenOutputRead();
  await flushOutput();
  setTimeout(() => process.exit(code), graceMs).unref();
}
