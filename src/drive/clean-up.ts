import { rmSync } from "node:fs";
import { join } from "node:path";
import { groupAttempts } from "../store/attempts.ts";
import { isHeld } from "../store/lease.ts";
import type { RunPaths, Unit } from "../store/run-paths.ts";
import { namesIn } from "../store/scan-shards.ts";
import { fileSystemNow, lookAt } from "../store/take-file-step.ts";

/**
 * Removes what killed workers left behind in the machinery of a run whose shards are all committed. What a living
 * worker holds stays: it finds out by itself that it came too late.
 */
export function cleanUp(paths: RunPaths, { ttlMs }: { ttlMs: number }): void {
  const now = () => fileSystemNow(paths.leases);
  const living = new Set<string>();
  for (const [unit, { active }] of groupAttempts(namesIn(paths.attempts))) {
    if (active !== undefined && isLiving(unit, active)) living.add(`${unit}.${active}`);
  }
  for (const name of namesIn(paths.attempts)) if (!living.has(name)) discard(join(paths.attempts, name));
  for (const name of namesIn(paths.leases)) if (!living.has(name)) discard(join(paths.leases, name));
  for (const name of namesIn(paths.workers)) {
    const path = join(paths.workers, name);
    const sight = lookAt(path, now);
    if (sight !== undefined && !isHeld(sight, { ttlMs })) discard(path);
  }

  function isLiving(unit: Unit, epoch: number): boolean {
    const sight = lookAt(paths.lease(unit, epoch), now) ?? lookAt(paths.attempt(unit, epoch), now);
    return sight !== undefined && isHeld(sight, { ttlMs });
  }
}

function discard(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
