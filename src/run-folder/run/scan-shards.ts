import { sleep } from "../../runtime/sleep.ts";
import { isSlowFolder } from "../files/is-slow-folder.ts";
import { type RunPaths, shardIdOf } from "../files/run-paths.ts";
import { readdirSync } from "../files/store-calls.ts";
import { isMissing } from "../files/store-trouble.ts";
import { inspectShard, type ShardInspection } from "../shard/done.ts";
import { inspectSlowShard } from "../shard/inspect-slow-shard.ts";
import { type KnownShard, knownShard } from "../shard/known-shard.ts";

export interface ShardScan {
  readonly committed: ReadonlyMap<number, KnownShard>;
  /** Shards whose files do not match their `done`, with the reason. */
  readonly damaged: ReadonlyMap<number, string>;
}

// On a shared file system a file may be visible before its last bytes. It is inspected again after these times before
// it counts as damaged.
const inspectAgainAfterMs = [100, 400];

/**
 * Finds out which shards are committed. `trust`: shards that were found intact before and are not inspected again.
 * Folders with numbers from `shardCount` on are ignored.
 */
export async function scanShards(
  paths: RunPaths,
  trust: ReadonlyMap<number, KnownShard> = new Map(),
  { shardCount = Number.POSITIVE_INFINITY }: { readonly shardCount?: number } = {},
): Promise<ShardScan> {
  const committed = new Map<number, KnownShard>();
  let damaged = new Map<number, string>();
  const ids = namesIn(paths.root).flatMap((name) => shardIdOf(name) ?? []);
  const unknown: number[] = [];
  for (const id of ids) {
    const known = id < shardCount ? trust.get(id) : undefined;
    if (known !== undefined) committed.set(id, known);
    else if (id < shardCount) unknown.push(id);
  }
  await inspect(unknown);
  for (const waitMs of inspectAgainAfterMs) {
    if (damaged.size === 0) break;
    await sleep(waitMs);
    const suspects = [...damaged.keys()];
    damaged = new Map();
    await inspect(suspects);
  }
  return { committed, damaged };

  async function inspect(ids: readonly number[]): Promise<void> {
    // One after the other is faster where calls are: they need no thread.
    if (!isSlowFolder(paths.root)) for (const id of ids) sort(id, inspectShard(paths.shard(id)));
    else await eachAtOnce(ids, async (id) => sort(id, await inspectSlowShard(paths.shard(id))));
  }

  function sort(id: number, inspection: ShardInspection): void {
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

// More than there are threads for such calls, so that none is idle.
const atOnce = 16;

async function eachAtOnce<Value>(values: readonly Value[], act: (value: Value) => Promise<void>): Promise<void> {
  const left = values[Symbol.iterator]();
  const lanes = Array.from({ length: Math.min(atOnce, values.length) }, async () => {
    for (const value of left) await act(value);
  });
  await Promise.all(lanes);
}
