import { readdirSync } from "node:fs";
import { sleep } from "../../runtime/sleep.ts";
import { isMissing } from "../files/durable-files.ts";
import { type RunPaths, shardIdOf } from "../files/run-paths.ts";
import { inspectShard } from "../shard/done.ts";
import { type KnownShard, knownShard } from "../shard/known-shard.ts";

export interface ShardScan {
  readonly committed: ReadonlyMap<number, KnownShard>;
  /** Shards whose files do not match their `done`, with the reason. */
  readonly damaged: ReadonlyMap<number, string>;
}

// On a shared file system a file may be visible before its last bytes. It is inspected again after these times before
// it counts as damaged.
const inspectAgainAfterMs = [100, 400];

/** Finds out which shards are committed. `trust`: shards that were found intact before and are not inspected again. Folders with numbers from `shardCount` on are ignored.
 */
export async function scanShards(
  paths: RunPaths,
  trust: ReadonlyMap<number, KnownShard> = new Map(),
  { shardCount = Number.POSITIVE_INFINITY }: { readonly shardCount?: number } = {},
): Promise<ShardScan> {
  const committed = new Map<number, KnownShard>();
  let damaged = new Map<number, string>();
  for (const name of namesIn(paths.root)) {
    const id = shardIdOf(name);
    if (id !== undefined && id < shardCount) sort(id, trust.get(id));
  }
  for (const waitMs of inspectAgainAfterMs) {
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
    const inspection = inspectShard(paths.shard(id));
    if (inspection.state === "committed") committed.set(id, knownShard(inspection.done));
    else if (inspection.state === "damaged") damaged.set(id, inspection.reason);
  }
}

/** How many shards exist, without inspecting them. */
export function countShards(paths: RunPaths): number {
  return namesIn(paths.root).filter((name) => shardIdOf(name) !== undefined).length;
}

/** The names in a folder; empty if the folder does not exist. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
