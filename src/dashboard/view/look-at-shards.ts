import { inspectShard } from "../../store/done.ts";
import { type RunPaths, shardIdOf } from "../../store/run-paths.ts";
import { namesIn } from "../../store/scan-shards.ts";
import type { ShardMap } from "./shard-map.ts";

const shardsPerTurn = 16;

/**
 * Lists the run folder and looks into the shards that are not known to be committed. The first time these are all of
 * them; after that, those that nobody has told of. Answers how many did not agree with their `done`.
 */
export async function lookAtShards(paths: RunPaths, map: ShardMap, pause: () => Promise<void>): Promise<number> {
  const present = new Set<number>();
  let looked = 0;
  let damaged = 0;
  for (const name of namesIn(paths.root)) {
    const shard = shardIdOf(name);
    if (shard === undefined) continue;
    present.add(shard);
    if (map.isCommitted(shard)) continue;
    if (++looked % shardsPerTurn === 0) await pause();
    const sight = inspectShard(paths.shard(shard));
    if (sight.state === "committed") map.commit(shard, sight.done.attempt, sight.done.counts);
    else if (sight.state === "damaged") {
      damaged++;
      map.damage(shard);
    }
  }
  for (const shard of [...map.committedShards(), ...map.damagedShards()]) if (!present.has(shard)) map.vanish(shard);
  return damaged;
}
