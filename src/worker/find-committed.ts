import type { Plan } from "../plan/plan.ts";
import type { FirstLook } from "../store/first-look.ts";
import type { KnownShard } from "../store/known-shard.ts";
import { scanShards } from "../store/scan-shards.ts";
import type { Protocol } from "./protocol.ts";
import type { RunnerTraits } from "./runner-hooks.ts";

/** Which shards of a plan are done and which are still to do. */
export interface CommittedShards {
  readonly committed: ReadonlyMap<number, KnownShard>;
  readonly open: readonly number[];
  /** Those of the open ones that are there all the same, and what has failed so far. */
  readonly firstLook: FirstLook;
}

export interface CommittedQuery {
  readonly plan: Plan;
  readonly traits: RunnerTraits;
  readonly protocol: Pick<Protocol, "paths">;
  readonly onDamage: (reason: string) => void;
}

/** Looks at the run folder: what is committed and sound, also by the runner's own check. */
export async function findCommitted(
  { plan, traits, protocol: { paths }, onDamage }: CommittedQuery,
  trust: ReadonlyMap<number, KnownShard> = new Map(),
): Promise<CommittedShards> {
  const { committed, damaged } = await scanShards(paths, trust);
  for (const [id, reason] of damaged) if (id < plan.shardCount) onDamage(reason);
  const sound = new Map<number, KnownShard>();
  const open: number[] = [];
  const suspects: number[] = [];
  let failed = 0;
  for (let id = 0; id < plan.shardCount; id++) {
    const done = committed.get(id);
    const isDone = done !== undefined && (trust.has(id) || ((await traits.isShardDone?.(paths.shard(id))) ?? true));
    if (isDone) {
      sound.set(id, done);
      failed += done.counts.failed;
    } else {
      open.push(id);
      if (done !== undefined || damaged.has(id)) suspects.push(id);
    }
  }
  return { committed: sound, open, firstLook: { suspects, failed } };
}
