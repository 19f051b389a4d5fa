import type { KnownShard } from "../store/known-shard.ts";
import { shardIdOf } from "../store/run-paths.ts";
import { namesIn } from "../store/scan-shards.ts";
import { findCommitted } from "./find-committed.ts";
import type { WorkerJob } from "./worker-job.ts";

/** What a worker sees of the shards of its run. */
export interface ShardView {
  /** Items that had failed before. */
  readonly failed: number;
  /** Shards it has looked into and found sound, or has made itself. */
  readonly known: ReadonlyMap<number, KnownShard>;
  /** The shards that are still to do; `mine` were committed by this worker since. */
  look(mine?: ReadonlyMap<number, KnownShard>): Promise<readonly number[]>;
}

/**
 * Opens the view of a worker. Where a driver has looked into every shard, a name is enough: a folder of that name is
 * there only once it is complete. Otherwise, and where the runner has a check of its own, each is looked into once.
 */
export async function openShardView(job: WorkerJob): Promise<ShardView> {
  const { firstLook, traits } = job;
  return firstLook === undefined || traits.isShardDone !== undefined ? deepView(job) : viewByName(job, firstLook);
}

async function deepView(job: WorkerJob): Promise<ShardView> {
  let seen = await findCommitted(job);
  const { failed } = seen.firstLook;
  let isFresh = true;
  return {
    failed,
    get known() {
      return seen.committed;
    },
    async look(mine = new Map()) {
      if (!isFresh) seen = await findCommitted(job, new Map([...seen.committed, ...mine]));
      isFresh = false;
      return seen.open;
    },
  };
}

function viewByName(job: WorkerJob, { suspects, failed }: NonNullable<WorkerJob["firstLook"]>): ShardView {
  const { plan, protocol } = job;
  const known = new Map<number, KnownShard>();
  const isThere = new Uint8Array(plan.shardCount);
  return {
    failed,
    known,
    async look(mine = new Map()) {
      for (const [id, done] of mine) known.set(id, done);
      isThere.fill(0);
      for (const name of namesIn(protocol.paths.root)) {
        const id = shardIdOf(name);
        if (id !== undefined && id < plan.shardCount) isThere[id] = 1;
      }
      for (const id of suspects) if (isThere[id] === 1 && !(await protocol.isCommitted(id))) isThere[id] = 0;
      const open: number[] = [];
      for (let id = 0; id < plan.shardCount; id++) if (isThere[id] === 0) open.push(id);
      return open;
    },
  };
}
