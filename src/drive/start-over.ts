import { rmSync } from "node:fs";
import { MillraceError } from "../shared/errors.ts";
import type { Sight } from "../store/file-step.ts";
import { defaultLeaseTtlMs, isHeld, parseLease } from "../store/lease.ts";
import { readMerged } from "../store/merged.ts";
import { parseAttemptName, type RunPaths, shardIdOf } from "../store/run-paths.ts";
import { namesIn } from "../store/scan-shards.ts";
import { fileSystemNow, lookAt } from "../store/take-file-step.ts";

/** Removes everything a run has made in its folder, and nothing else. Refuses while someone is at work there. */
export function startOver(paths: RunPaths): void {
  refuseIfBusy(paths);
  const outputs = readMerged(paths)?.files ?? [];
  for (const name of namesIn(paths.root)) if (shardIdOf(name) !== undefined) discard(paths.output(name));
  for (const { name } of outputs) discard(paths.output(name));
  discard(paths.machinery);
  // Last: while it is there, an interrupted removal is only a run with fewer shards.
  discard(paths.manifest);
}

function discard(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

function refuseIfBusy(paths: RunPaths): void {
  const now = () => fileSystemNow(paths.leases);
  for (const name of namesIn(paths.leases)) {
    const held = parseAttemptName(name);
    if (held === undefined) continue;
    const { unit, epoch } = held;
    const sight = lookAt(paths.lease(unit, epoch), now);
    if (sight === undefined || !isHeld(sight, { ttlMs: defaultLeaseTtlMs })) continue;
    throw busy(paths, sight, unit === "merge" ? "is merging it" : `is working on split.${unit}`);
  }
  // Someone may be between two shards, or still building its env.
  for (const name of namesIn(paths.workers)) {
    const sight = lookAt(paths.worker(name.replace(/\.json$/, "")), now);
    if (sight !== undefined && isHeld(sight, { ttlMs: defaultLeaseTtlMs }))
      throw busy(paths, sight, "is at work on it");
  }
}

function busy(paths: RunPaths, { text }: Sight, what: string): MillraceError {
  const holder = parseLease(text);
  const who = holder === undefined ? "another process" : `process ${holder.pid} on ${holder.host.split("|")[0]}`;
  return new MillraceError("RUN_BUSY", `The run in ${paths.root} cannot be started over: ${who} ${what}.`, {
    hint: "Stop it first, or wait until it is through. A worker that died is recognised by itself.",
  });
}
