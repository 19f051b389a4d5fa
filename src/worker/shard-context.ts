import type { Plan } from "../plan/plan.ts";
import { type MissingKeys, watchMissingKeys } from "../provider/watch-missing-keys.ts";
import { GroupSync } from "../store/group-sync.ts";
import { type Notices, openNotices } from "../store/notices.ts";
import { FailureBudget } from "./failure-log.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { Protocol } from "./protocol.ts";
import type { RunnerHooks, RunnerTraits } from "./runner-hooks.ts";
import type { WorkOptions } from "./work-options.ts";

/** How the worker's time is spent: over all its shards, since each of them may be short. */
interface Pace {
  /** When it began to run items. */
  readonly beganMs: number;
  /** When the process last had its turn. */
  lastYieldMs: number;
  /** How many indices are read at once. */
  readAtOnce: number;
  /** What a checkpoint costs, on average. */
  checkpointCostMs: number;
  /** How many checkpoints in a row have cost too much. */
  dearCheckpoints: number;
}

/** What stays the same over all shards of a worker. */
export interface ShardContext {
  readonly plan: Plan;
  readonly runner: RunnerHooks;
  readonly traits: RunnerTraits;
  readonly env: object;
  readonly missingKeys: MissingKeys;
  readonly options: WorkOptions;
  readonly protocol: Protocol;
  readonly heartbeat: Heartbeat;
  readonly sync: GroupSync;
  readonly notices: Notices;
  readonly budget: FailureBudget;
  /** Items this worker has done in all its shards. */
  readonly totals: { done: number; failed: number; dropped: number };
  readonly pace: Pace;
  /** Whether the worker was asked to leave: it then checkpoints, releases its shard and stops. */
  readonly isLeaving: () => boolean;
  readonly isTooLarge?: (() => boolean) | undefined;
  readonly company: number;
}

/** What a worker is given, before it has built its env. */
export type ShardContextParts = Pick<
  ShardContext,
  "plan" | "runner" | "traits" | "options" | "protocol" | "heartbeat" | "isLeaving" | "isTooLarge" | "company"
>;

export function openShardContext(parts: ShardContextParts, env: object, alreadyFailed: number): ShardContext {
  const nowMs = performance.now();
  return {
    ...parts,
    env,
    sync: new GroupSync(parts.protocol.paths.root),
    notices: openNotices(parts.protocol.paths),
    missingKeys: watchMissingKeys(env),
    budget: new FailureBudget(parts.options.maxFailures, alreadyFailed),
    totals: { done: 0, failed: 0, dropped: 0 },
    pace: { beganMs: nowMs, lastYieldMs: nowMs, readAtOnce: 1, checkpointCostMs: 0, dearCheckpoints: 0 },
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
