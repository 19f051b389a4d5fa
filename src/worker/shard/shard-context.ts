import { type MissingKeys, watchMissingKeys } from "../../contract/watch-missing-keys.ts";
import { GroupSync } from "../../run-folder/files/group-sync.ts";
import { type Notices, openNotices } from "../../run-folder/run/notices.ts";
import { type Calls, openCalls } from "../calls/calls.ts";
import type { Interruption } from "../calls/open-call.ts";
import type { WorkerCounts } from "../heartbeat/heartbeat.ts";
import type { WorkerContext } from "../worker-context.ts";
import { allowedFailures, FailureBudget } from "./failure-log.ts";

/** Timing across all shards of a worker, because each shard may be short. */
interface Pace {
  /** When the worker began to run items. */
  readonly beganMs: number;
  /** When it last yielded to the event loop. */
  lastYieldMs: number;
  /** How many indices are read at a time. */
  readAtOnce: number;
  /** Average cost of a checkpoint. */
  checkpointCostMs: number;
  /** How many checkpoints in a row were too slow. */
  slowCheckpoints: number;
}

/** The progress of a shard that is not complete. */
interface OpenShard {
  readonly position: number;
  readonly failed: number;
  readonly dropped: number;
}

/** Everything that all shards of a worker share, after its env is built. */
export interface ShardContext {
  readonly worker: WorkerContext;
  readonly env: object;
  readonly missingKeys: MissingKeys;
  readonly sync: GroupSync;
  readonly notices: Notices;
  readonly budget: FailureBudget;
  /** The items of all shards that this worker has completed. */
  readonly totals: { done: number; failed: number; dropped: number };
  /** The shards that it runs: one, or several if several calls may be open. */
  readonly open: Set<OpenShard>;
  /** The calls of `forward` that it may have open. */
  readonly calls: Calls;
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
    open: new Set(),
    calls: openCalls(task, run.paths, worker.member.lease.worker),
    pace: { beganMs: nowMs, lastYieldMs: nowMs, readAtOnce: 1, checkpointCostMs: 0, slowCheckpoints: 0 },
  };
}

/** What the worker has done in all its shards, including open ones, and its open calls. */
export function countsOfWorker({ totals, open, calls }: ShardContext): WorkerCounts {
  let { done, failed, dropped } = totals;
  for (const shard of open) {
    done += shard.position;
    failed += shard.failed;
    dropped += shard.dropped;
  }
  return { done, failed, dropped, ...calls.counts() };
}

/** Thrown to leave a shard without an error: the worker was asked to leave, or another one has the shard now. */
export class ShardInterrupted extends Error {
  readonly reason: Interruption;

  constructor(reason: Interruption) {
    super(reason);
    this.reason = reason;
  }
}
