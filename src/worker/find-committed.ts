import type { FirstScan } from "../run-folder/run/first-scan.ts";
import { scanShards } from "../run-folder/run/scan-shards.ts";
import type { KnownShard } from "../run-folder/shard/known-shard.ts";
import type { WorkerContext } from "./worker-context.ts";

/** Which shards of a plan are committed and which are not. */
export interface CommittedShards {
  readonly committed: ReadonlyMap<number, KnownShard>;
  readonly open: readonly number[];
  /** The open shards that have a folder, and the number of failed items so far. */
  readonly firstScan: FirstScan;
}

/** Scans the run folder for shards that are committed and intact, and for which `isShardDone` of the runner is true. */
export async function findCommitted(
  { run: { paths, plan }, task: { traits }, onDamage }: Pick<WorkerContext, "run" | "task" | "onDamage">,
  trust: ReadonlyMap<number, KnownShard> = new Map(),
): Promise<CommittedShards> {
  const { committed, damaged } = await scanShards(paths, trust);
  for (const [id, reason] of damaged) if (id < plan.shardCount) onDamage(reason);
  const intact = new Map<number, KnownShard>();
  const open: number[] = [];
  const suspects: number[] = [];
  let failed = 0;
  for (let id = 0; id < plan.shardCount; id++) {
    const done = committed.get(id);
    const isDone = done !== undefined && (trust.has(id) || ((await traits.isShardDone?.(paths.shard(id))) ?? true));
    if (isDone) {
      intact.set(id, done);
      failed += done.counts.failed;
    } else {
      open.push(id);
      if (done !== undefined || damaged.has(id)) suspects.push(id);
    }
  }
  return { committed: intact, open, firstScan: { suspects, failed } };
}
