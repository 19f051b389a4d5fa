import { groupAttempts } from "./attempts.ts";
import { readCheckpoints } from "./checkpoint.ts";
import { inspectShard } from "./done.ts";
import { type RunPaths, shardIdOf } from "./run-paths.ts";
import { namesIn } from "./scan-shards.ts";

/** How many items of a run are done: those of committed shards, and those that a checkpoint of an open one covers. */
export function countItemsDone(paths: RunPaths): number {
  let items = 0;
  const committed = new Set<number>();
  for (const name of namesIn(paths.root)) {
    const id = shardIdOf(name);
    const shard = id === undefined ? undefined : inspectShard(paths.shard(id));
    if (id === undefined || shard?.state !== "committed") continue;
    committed.add(id);
    items += shard.done.counts.items;
  }
  for (const [unit, { active, fenced }] of groupAttempts(namesIn(paths.attempts))) {
    if (unit === "merge" || committed.has(unit)) continue;
    const folders = fenced.map((epoch) => paths.fenced(unit, epoch));
    if (active !== undefined) folders.push(paths.attempt(unit, active));
    items += Math.max(0, ...folders.map((folder) => readCheckpoints(folder)[0]?.position ?? 0));
  }
  return items;
}
