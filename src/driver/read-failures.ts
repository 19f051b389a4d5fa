import { runPaths, shardIdOf } from "../run-folder/files/run-paths.ts";
import { namesIn } from "../run-folder/run/scan-shards.ts";
import type { FailureRecord } from "../worker/shard/failure-log.ts";
import { failuresOfShard } from "../worker/shard/retry-failed-shards.ts";

/** The items of a run that failed, in item order, one after the other. */
export function* readFailures(runDir: string): Generator<FailureRecord> {
  const paths = runPaths(runDir);
  const ids = namesIn(paths.root)
    .map(shardIdOf)
    .filter((id) => id !== undefined);
  for (const id of ids.sort((a, b) => a - b)) yield* failuresOfShard(paths, id);
}
