import { whenOutputRead } from "../launchers/local/take-output.ts";
import { whenSynced } from "../run-folder/files/group-sync.ts";
import { flushOutput } from "../runtime/flush-output.ts";

// Lets pending work of the user's code finish.
const graceMs = 1000;

/** Ends this process soon, even if the user's code left open handles that would keep it alive. */
export async function endProcess(code: number): Promise<void> {
  await whenSynced();
  await whenOutputRead();
  await flushOutput();
  setTimeout(() => process.exit(code), graceMs).unref();
}
