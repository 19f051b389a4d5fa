import { parseAttemptName, type RunPaths } from "../files/run-paths.ts";
import { statSync } from "../files/store-calls.ts";
import { checkpointFiles } from "../shard/checkpoint.ts";
import { countShards, namesIn } from "./scan-shards.ts";

/** Returns a function that returns whether the run has saved a shard or a checkpoint since its last call. */
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
    const { target, attempt, kind } = parsed;
    return kind === ".fenced" ? [paths.fenced(target, attempt)] : kind === "" ? [paths.attempt(target, attempt)] : [];
  });
}
