import { inspectShard } from "../../store/done.ts";
import { type RunPaths, shardIdOf } from "../../store/run-paths.ts";
import { namesIn } from "../../store/scan-shards.ts";
import type { ShardMap } from "./shard-map.ts";

const shardsPerTurn = 16;

interface LookOptions {
  /** Lets others have a turn. */
  readonly pause: () => Promise<void>;
  /** Whether a shard that is there, and not known to be committed, is opened at this listing. */
  readonly isOpened: (shard: number) => boolean;
}

interface Look {
  /** How many did not agree with their `done`. */
  readonly damaged: number;
  /** Shards that are there and that nobody has told of; they were not opened. */
  readonly untold: ReadonlySet<number>;
}

/** Lists the run folder, and looks into shards that are not known to be committed. */
export async function lookAtShards(paths: RunPaths, map: ShardMap, { pause, isOpened }: LookOptions): Promise<Look> {
  const present = new Set<number>();
  const untold = new Set<number>();
  let looked = 0;
  let damaged = 0;
  for (const name of namesIn(paths.root)) {
    const shard = shardIdOf(name);
    if (shard === undefined) continue;
    present.add(shard);
    if (map.isCommitted(shard)) continue;
    if (!isOpened(shard) && map.letter(shard) !== "d") {
      untold.add(shard);
      continue;
    }
    if (++looked % shardsPerTurn === 0) await pause();
    const sight = inspectShard(paths.shard(shard));
    if (sight.state === "committed") map.commit(shard, sight.done.attempt, sight.done.counts);
    else if (sight.state === "damaged") {
      damaged++;
      map.damage(shard);
    }
  }
  for (const shard of [...map.committedShards(), ...map.damagedShards()]) if (!present.has(shard)) map.vanish(shard);
  return { damaged, untold };
}
