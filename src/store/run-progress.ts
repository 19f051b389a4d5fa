import { statSync } from "node:fs";
import { checkpointFiles } from "./checkpoint.ts";
import { parseAttemptName, type RunPaths } from "./run-paths.ts";
import { countShards, namesIn } from "./scan-shards.ts";

/** Tells, at each call, whether the run has saved anything since the one before: a shard or a checkpoint. */
export function openRunProgress(paths: RunPaths): () => boolean {
  let shards = 0;
  let newestMs = 0;
  return () => {
    const before = { shards, newestMs };
    shards = Math.max(shards, countShards(paths));
    for (const folder of attemptFolders(paths))
      for (const path of checkpointFiles(folder))
        newestMs = Math.max(newestMs, statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    return shards > before.shards || newestMs > before.newestMs;
  };
}

function attemptFolders(paths: RunPaths): string[] {
  return namesIn(paths.attempts).flatMap((name) => {
    const parsed = parseAttemptName(name);
    if (parsed === undefined) return [];
    const { unit, epoch, kind } = parsed;
    return kind === ".fenced" ? [paths.fenced(unit, epoch)] : kind === "" ? [paths.attempt(unit, epoch)] : [];
  });
}
