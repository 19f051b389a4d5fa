import type { RunPaths } from "../run-folder/files/run-paths.ts";
import { liveDrivers } from "../run-folder/run/run-status.ts";
import { sleep } from "../runtime/sleep.ts";

const pollEveryMs = 50;

/**
 * Whether a driver watches the run and is alive. The report of a killed driver remains for a while, so this waits for a
 * new heartbeat of a driver, or until the last report has expired.
 */
export async function hasLiveDriver(paths: RunPaths): Promise<boolean> {
  const before = liveDrivers(paths);
  let drivers = before;
  while (drivers.size > 0) {
    await sleep(pollEveryMs);
    drivers = liveDrivers(paths);
    for (const [name, writtenMs] of drivers) if (writtenMs > (before.get(name) ?? 0)) return true;
  }
  return false;
}
