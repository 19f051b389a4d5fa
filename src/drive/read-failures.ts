import { existsSync } from "node:fs";
import { join } from "node:path";
import { readRecords } from "../merge/read-records.ts";
import { type RunPaths, runPaths, shardIdOf } from "../store/run-paths.ts";
import { namesIn } from "../store/scan-shards.ts";
import { failuresName } from "../store/shard-file-names.ts";
import type { FailureRecord } from "../worker/failure-log.ts";

/** The items of a run that failed, in item order, one after the other. */
export function* readFailures(runDir: string): Generator<FailureRecord> {
  const paths = runPaths(runDir);
  const ids = namesIn(paths.root)
    .map(shardIdOf)
    .filter((id) => id !== undefined);
  for (const id of ids.sort((a, b) => a - b)) yield* failuresOfShard(paths, id);
}

/** The failed items of one committed shard. */
export function* failuresOfShard(paths: RunPaths, shard: number): Generator<FailureRecord> {
  const path = join(paths.shard(shard), failuresName);
  if (existsSync(path)) yield* readRecords<FailureRecord>(path);
}
