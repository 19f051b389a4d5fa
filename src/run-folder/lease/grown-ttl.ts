import { readIfPresent } from "../files/durable-files.ts";
import { isShared } from "../files/file-system.ts";
import { replaceInRun } from "../files/run-files.ts";
import type { RunPaths } from "../files/run-paths.ts";

// Some file systems show a heartbeat to other hosts later than a lease lives. A worker notices it: its attempt was taken
// although each of its heartbeats was in time. Then its leases live twice as long, and so do those of all workers that
// join the run later.

const maxTtlMs = 600_000;

/** Doubles the life of a lease, for this worker and those that join later. Returns the new TTL. */
export function growTtl(paths: RunPaths, ttlMs: number): number {
  const grownMs = Math.max(ttlMs, Math.min(2 * ttlMs, maxTtlMs));
  if ((readGrownTtl(paths) ?? 0) < grownMs)
    replaceInRun(paths.root, paths.leaseTtl, `${JSON.stringify({ ttlMs: grownMs })}\n`);
  return grownMs;
}

/** The TTL that workers of this run have found necessary; undefined if none has. */
export function readGrownTtl(paths: RunPaths): number | undefined {
  if (!isShared(paths.root)) return undefined;
  try {
    const { ttlMs } = JSON.parse(readIfPresent(paths.leaseTtl) ?? "{}") as { ttlMs?: unknown };
    return typeof ttlMs === "number" && ttlMs > 0 && ttlMs <= maxTtlMs ? ttlMs : undefined;
  } catch {
    // An unreadable value is found again.
    return undefined;
  }
}
