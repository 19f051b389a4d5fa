import { refreshFolder } from "../../run-folder/files/refresh-folder.ts";
import { shardIdOf } from "../../run-folder/files/run-paths.ts";
import { namesIn } from "../../run-folder/run/scan-shards.ts";
import type { KnownShard } from "../../run-folder/shard/known-shard.ts";
import { findCommitted } from "../find-committed.ts";
import type { WorkerContext } from "../worker-context.ts";

/** What a worker knows about the shards of its run. */
export interface ShardView {
  /** Items that failed in earlier sessions. */
  readonly failed: number;
  /** Shards that it found intact, or committed itself. */
  readonly known: ReadonlyMap<number, KnownShard>;
  /** The shards that are not committed. `mine`: shards that this worker has committed since the last call. */
  listOpen(mine?: ReadonlyMap<number, KnownShard>): Promise<readonly number[]>;
}

/**
 * Opens the view of a worker. If a driver has inspected every shard, the name of a folder is enough: a folder gets that
 * name only when it is complete. Otherwise, and if the runner has an `isShardDone`, the worker inspects each shard
 * once.
 */
export async function openShardView(worker: WorkerContext): Promise<ShardView> {
  const { firstScan, task } = worker;
  return firstScan === undefined || task.traits.isShardDone !== undefined
    ? viewByInspection(worker)
    : viewByName(worker, firstScan);
}

async function viewByInspection(worker: WorkerContext): Promise<ShardView> {
  let seen = await findCommitted(worker);
  const { failed } = seen.firstScan;
  let isFresh = true;
  return {
    failed,
    get known() {
      return seen.committed;
    },
    async listOpen(mine = new Map()) {
      const before = seen.open.length - mine.size;
      if (!isFresh) seen = await findCommitted(worker, new Map([...seen.committed, ...mine]));
      if (!isFresh && isOld(seen.open.length, before, worker)) seen = await findCommitted(worker, seen.committed);
      isFresh = false;
      return seen.open;
    },
  };
}

function viewByName(worker: WorkerContext, { suspects, failed }: NonNullable<WorkerContext["firstScan"]>): ShardView {
  const { run, member } = worker;
  const { plan, paths } = run;
  const known = new Map<number, KnownShard>();
  const exists = new Uint8Array(plan.shardCount);
  let left = Number.POSITIVE_INFINITY;
  return {
    failed,
    known,
    async listOpen(mine = new Map()) {
      for (const [id, done] of mine) known.set(id, done);
      const before = left - mine.size;
      let open = await list();
      if (isOld(open.length, before, worker)) open = await list();
      left = open.length;
      return open;
    },
  };

  async function list(): Promise<number[]> {
    exists.fill(0);
    for (const name of namesIn(paths.root)) {
      const id = shardIdOf(name);
      if (id !== undefined && id < plan.shardCount) exists[id] = 1;
    }
    for (const id of suspects) if (exists[id] === 1 && !(await member.protocol.isCommitted(id))) exists[id] = 0;
    const open: number[] = [];
    for (let id = 0; id < plan.shardCount; id++) if (exists[id] === 0) open.push(id);
    return open;
  }
}

/** Whether a list that shows nothing of other workers may be old, and is a new one now. */
function isOld(open: number, before: number, { run: { paths } }: WorkerContext): boolean {
  return open > 0 && open >= before && refreshFolder(paths.root) && refreshFolder(paths.root, paths.attempts);
}
