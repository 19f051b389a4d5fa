import { readdirSync } from "node:fs";
import { sleep } from "../shared/sleep.ts";
import { inspectShard } from "./done.ts";
import { isMissing } from "./durable-files.ts";
import { type KnownShard, knownShard } from "./known-shard.ts";
import { type RunPaths, shardIdOf } from "./run-paths.ts";

export interface ShardScan {
  readonly committed: ReadonlyMap<number, KnownShard>;
  /** Shards that are there but do not agree with their `done`, with the reason in words. */
  readonly damaged: ReadonlyMap<number, string>;
}

// On a shared file system a file can be visible before its last bytes: look again before calling it damaged.
const secondLooksMs = [100, 400];

/** Finds out which shards are committed. `trust` holds those that were found sound before and need no second look. */
export async function scanShards(
  paths: RunPaths,
  trust: ReadonlyMap<number, KnownShard> = new Map(),
): Promise<ShardScan> {
  const committed = new Map<number, KnownShard>();
  let damaged = new Map<number, string>();
  for (const name of namesIn(paths.root)) {
    const id = shardIdOf(name);
    if (id !== undefined) sort(id, trust.get(id));
  }
  for (const waitMs of secondLooksMs) {
    if (damaged.size === 0) break;
    await sleep(waitMs);
    const suspects = [...damaged.keys()];
    damaged = new Map();
    for (const id of suspects) sort(id);
  }
  return { committed, damaged };

  function sort(id: number, known?: KnownShard): void {
    if (known !== undefined) {
      committed.set(id, known);
      return;
    }
    const sight = inspectShard(paths.shard(id));
    if (sight.state === "committed") committed.set(id, knownShard(sight.done));
    else if (sight.state === "damaged") damaged.set(id, sight.reason);
  }
}

/** How many shards are there, without a look into them. */
export function countShards(paths: RunPaths): number {
  return namesIn(paths.root).filter((name) => shardIdOf(name) !== undefined).length;
}

/** The names in a folder; none where the folder is not there. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
