import { rmSync } from "node:fs";
import { join } from "node:path";
import { groupAttempts } from "../store/attempts.ts";
import { isHeld } from "../store/lease.ts";
import type { RunPaths, Unit } from "../store/run-paths.ts";
import { namesIn } from "../store/scan-shards.ts";
import { fileSystemNow, lookAt } from "../store/take-file-step.ts";

export interface CleanUpOptions {
  /** How long a lease lives whose own text is torn. */
  readonly ttlMs: number;
  /** Shards are still to do: old attempts hold the checkpoints they will go on from. */
  readonly keepAttempts?: boolean;
}

/**
 * Removes what killed workers left behind in the machinery of a run. What a living worker holds stays: it finds out by
 * itself that it came too late.
 */
export function cleanUp(paths: RunPaths, { ttlMs, keepAttempts = false }: CleanUpOptions): void {
  const now = () => fileSystemNow(paths.leases);
  const living = new Set<string>();
  for (const [unit, { active }] of groupAttempts(namesIn(paths.attempts))) {
    if (active !== undefined && isLiving(unit, active)) living.add(`${unit}.${active}`);
  }
  for (const folder of keepAttempts ? [] : [paths.attempts, paths.leases])
    for (const name of namesIn(folder)) if (!living.has(name)) discard(join(folder, name));
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
