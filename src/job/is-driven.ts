import { sleep } from "../shared/sleep.ts";
import type { RunPaths } from "../store/run-paths.ts";
import { driverAges } from "../store/run-status.ts";

const lookEveryMs = 200;
// A driver of another kind may give no sign of life for long: it is believed to be there after this time.
const patienceMs = 60_000;

/**
 * Whether a driver watches the run. One that was killed a moment ago, on another host, still looks alive: so a sign of
 * life from after the question is waited for, or the end of its lease.
 */
export async function isDriven(paths: RunPaths): Promise<boolean> {
  const askedMs = performance.now();
  for (;;) {
    const ages = driverAges(paths);
    const sinceMs = performance.now() - askedMs;
    if (ages.length === 0) return false;
    if (ages.some((ageMs) => ageMs < sinceMs) || sinceMs > patienceMs) return true;
    await sleep(lookEveryMs);
  }
}
