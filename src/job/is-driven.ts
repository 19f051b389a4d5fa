import { sleep } from "../shared/sleep.ts";
import type { RunPaths } from "../store/run-paths.ts";
import { beatingDrivers } from "../store/run-status.ts";

const lookEveryMs = 50;

/**
 * Whether a driver watches the run, and is alive at this moment: one that was killed is still seen for a while. A sign of
 * life after the question was asked is waited for, or the end of the last lease.
 */
export async function isDriven(paths: RunPaths): Promise<boolean> {
  const before = beatingDrivers(paths);
  let drivers = before;
  while (drivers.size > 0) {
    await sleep(lookEveryMs);
    drivers = beatingDrivers(paths);
    for (const [name, writtenMs] of drivers) if (writtenMs > (before.get(name) ?? 0)) return true;
  }
  return false;
}
