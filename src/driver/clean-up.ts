import { join } from "node:path";
import { isShared } from "../run-folder/files/file-system.ts";
import { lookPrefix } from "../run-folder/files/refresh-folder.ts";
import { removeFileInRun, removeFromRun } from "../run-folder/files/run-files.ts";
import type { Claimable, RunPaths } from "../run-folder/files/run-paths.ts";
import { groupAttempts } from "../run-folder/lease/attempts.ts";
import { isHeld } from "../run-folder/lease/lease.ts";
import { fileSystemNow, readSnapshot } from "../run-folder/lease/take-file-step.ts";
import { namesIn } from "../run-folder/run/scan-shards.ts";

export interface CleanUpOptions {
  /** The lifetime of a lease whose file is incomplete and does not state one. */
  readonly ttlMs: number;
  /** Shards are not committed: old attempts hold the checkpoints to continue from. */
  readonly keepAttempts?: boolean;
}

/**
 * Removes what killed workers left behind in the machinery of a run. What a living worker holds stays: it finds out by
 * itself that it came too late.
 */
export function cleanUp(paths: RunPaths, { ttlMs, keepAttempts = false }: CleanUpOptions): void {
  const now = () => fileSystemNow(paths);
  const living = new Set<string>();
  for (const [target, { active }] of groupAttempts(namesIn(paths.attempts))) {
    if (active !== undefined && isLiving(target, active)) living.add(`${target}.${active}`);
  }
  for (const folder of keepAttempts ? [] : [paths.attempts, paths.leases])
    for (const name of namesIn(folder)) if (!living.has(name)) removeFromRun(paths.root, join(folder, name));
  if (isShared(paths.root))
    for (const name of namesIn(paths.root))
      if (name.startsWith(lookPrefix)) removeFileInRun(paths.root, join(paths.root, name));
  for (const name of namesIn(paths.workers)) {
    const path = join(paths.workers, name);
    const snapshot = readSnapshot(path, now);
    if (snapshot === undefined) continue;
    // Empty: killed between making the file and writing it. A worker that is just there makes it again when it claims.
    if (snapshot.text === "" || !isHeld(snapshot, { ttlMs })) removeFromRun(paths.root, path);
  }

  function isLiving(target: Claimable, attempt: number): boolean {
    const snapshot =
      readSnapshot(paths.lease(target, attempt), now) ?? readSnapshot(paths.attempt(target, attempt), now);
    return snapshot !== undefined && isHeld(snapshot, { ttlMs });
  }
}
