import { type MissingKeys, watchMissingKeys } from "../../contract/watch-missing-keys.ts";
import { GroupSync } from "../../run-folder/files/group-sync.ts";
import { type Notices, openNotices } from "../../run-folder/run/notices.ts";
import type { WorkerContext } from "../worker-context.ts";
import { allowedFailures, FailureBudget } from "./failure-log.ts";

/** Timing over all shards of a worker, since each shard may be short. */
interface Pace {
  /** When the worker began to run items. */
  readonly beganMs: number;
  /** When it last yielded to the event loop. */
  lastYieldMs: number;
  /** How many indices are read at once. */
  readAtOnce: number;
  /** Average cost of a checkpoint. */
  checkpointCostMs: number;
  /** How many checkpoints in a row were too slow. */
  slowCheckpoints: number;
}

/** What stays the same over all shards of a worker, once its env is built. */
export interface ShardContext {
  readonly worker: WorkerContext;
  readonly env: object;
  readonly missingKeys: MissingKeys;
  readonly sync: GroupSync;
  readonly notices: Notices;
  readonly budget: FailureBudget;
  /** Items this worker has done in all its shards. */
  readonly totals: { done: number; failed: number; dropped: number };
  readonly pace: Pace;
}

export function openShardContext(worker: WorkerContext, env: object, alreadyFailed: number): ShardContext {
  const { run, task } = worker;
  const nowMs = performance.now();
  return {
    worker,
    env,
    sync: new GroupSync(run.paths.root),
    notices: openNotices(run.paths),
    missingKeys: watchMissingKeys(env),
    budget: new FailureBudget(allowedFailures(task.options, run.plan), alreadyFailed),
    totals: { done: 0, failed: 0, dropped: 0 },
    pace: { beganMs: nowMs, lastYieldMs: nowMs, readAtOnce: 1, checkpointCostMs: 0, slowCheckpoints: 0 },
  };
}

/** Ends a shard without an error: the worker was asked to leave, or another one holds the shard now. */
export class ShardInterrupted extends Error {
  readonly reason: "leaving" | "lost";

  constructor(reason: "leaving" | "lost") {
    super(reason);
    this.reason = reason;
  }
}
