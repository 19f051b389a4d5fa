import { whenSynced } from "../store/group-sync.ts";

// Workers that have just ended may still have something to say.
const graceMs = 1000;

/** Has this process end soon, although the user's code may have left something open that would keep it alive. */
export async function endProcess(code: number): Promise<void> {
  await whenSynced();
  setTimeout(() => process.exit(code), graceMs).unref();
}
