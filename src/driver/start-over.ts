import { MillraceError } from "../errors/errors.ts";
import { insideRun, removeFileInRun, removeFromRun } from "../run-folder/files/run-files.ts";
import { parseAttemptName, type RunPaths, shardIdOf } from "../run-folder/files/run-paths.ts";
import type { FileSnapshot } from "../run-folder/lease/file-step.ts";
import { defaultLeaseTtlMs, isHeld, parseLease } from "../run-folder/lease/lease.ts";
import { fileSystemNow, readSnapshot } from "../run-folder/lease/take-file-step.ts";
import { readMerged } from "../run-folder/run/merged.ts";
import { namesIn } from "../run-folder/run/scan-shards.ts";

/** Removes everything a run has made in its folder, and nothing else. Refuses while a worker or driver is active there. */
export function startOver(paths: RunPaths): void {
  refuseIfBusy(paths);
  // All paths are checked before the first is removed: if one leads through a link, nothing is removed.
  const outputs = (readMerged(paths)?.files ?? []).map(({ name }) => insideRun(paths.root, paths.output(name)));
  for (const name of namesIn(paths.root)) {
    const shard = shardIdOf(name);
    if (shard !== undefined) removeFromRun(paths.root, paths.shard(shard));
  }
  for (const output of outputs) removeFileInRun(paths.root, output);
  removeFromRun(paths.root, paths.machinery);
  // Last: while it is there, an interrupted removal is only a run with fewer shards.
  removeFromRun(paths.root, paths.manifest);
}

function refuseIfBusy(paths: RunPaths): void {
  const now = () => fileSystemNow(paths);
  for (const name of namesIn(paths.leases)) {
    const held = parseAttemptName(name);
    if (held === undefined) continue;
    const { target, attempt } = held;
    const snapshot = readSnapshot(paths.lease(target, attempt), now);
    if (snapshot === undefined || !isHeld(snapshot, { ttlMs: defaultLeaseTtlMs })) continue;
    throw busy(paths, snapshot, target === "merge" ? "is merging it" : `is working on split.${target}`);
  }
  // A worker may be between two shards, or still building its env.
  for (const name of namesIn(paths.workers)) {
    const snapshot = readSnapshot(paths.worker(name.replace(/\.json$/, "")), now);
    if (snapshot !== undefined && isHeld(snapshot, { ttlMs: defaultLeaseTtlMs }))
      throw busy(paths, snapshot, "is at work on it");
  }
}

function busy(paths: RunPaths, { text }: FileSnapshot, what: string): MillraceError {
  const holder = parseLease(text);
  const who = holder === undefined ? "another process" : `process ${holder.pid} on ${holder.host.split("|")[0]}`;
  return new MillraceError("RUN_BUSY", `The run in ${paths.root} cannot be started over: ${who} ${what}.`, {
    hint: "Stop it first, or wait until it has ended. A worker that died is recognised by itself.",
  });
}
