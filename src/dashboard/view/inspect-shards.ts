import { type RunPaths, shardIdOf } from "../../run-folder/files/run-paths.ts";
import { namesIn } from "../../run-folder/run/scan-shards.ts";
import { inspectShard } from "../../run-folder/shard/done.ts";
import type { ShardMap } from "./shard-map.ts";

const shardsPerTurn = 16;

interface InspectOptions {
  /** Yields to other requests. */
  readonly pause: () => Promise<void>;
  /** Whether to open a shard that exists and is not known to be committed. */
  readonly isOpened: (shard: number) => boolean;
}

interface Look {
  /** Number of shards that do not match their `done` file. */
  readonly damaged: number;
  /** Existing shards that no report mentions; they were not opened. */
  readonly unreported: ReadonlySet<number>;
}

/** Lists the run folder, and inspects shards that are not known to be committed. */
export async function inspectShards(
  paths: RunPaths,
  map: ShardMap,
  { pause, isOpened }: InspectOptions,
): Promise<Look> {
  const present = new Set<number>();
  const unreported = new Set<number>();
  let looked = 0;
  let damaged = 0;
  for (const name of namesIn(paths.root)) {
    const shard = shardIdOf(name);
    if (shard === undefined) continue;
    present.add(shard);
    if (map.isCommitted(shard)) continue;
    if (!isOpened(shard) && map.letter(shard) !== "d") {
      unreported.add(shard);
      continue;
    }
    if (++looked % shardsPerTurn === 0) await pause();
    const inspection = inspectShard(paths.shard(shard));
    if (inspection.state === "committed") map.commit(shard, inspection.done.attempt, inspection.done.counts);
    else if (inspection.state === "damaged") {
      damaged++;
      map.damage(shard);
    }
  }
  for (const shard of [...map.committedShards(), ...map.damagedShards()])
    if (!present.has(shard)) map.markMissing(shard);
  return { damaged, unreported: unreported };
}
