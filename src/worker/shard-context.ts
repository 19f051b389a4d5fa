import type { Plan } from "../plan/plan.ts";
import { type MissingKeys, watchMissingKeys } from "../provider/watch-missing-keys.ts";
import { GroupSync } from "../store/group-sync.ts";
import { FailureBudget } from "./failure-log.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { Protocol } from "./protocol.ts";
import type { RunnerHooks, RunnerTraits } from "./runner-hooks.ts";
import type { WorkOptions } from "./work-options.ts";

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
  readonly budget: FailureBudget;
  /** Items this worker has done in all its shards. */
  readonly totals: { done: number; failed: number; dropped: number };
  /**
   * When the process last had its turn, how many indices are read at once, and what a checkpoint costs: over all shards,
   * since each of them may be short.
   */
  readonly pace: { lastYieldMs: number; readAtOnce: number; checkpointCostMs: number };
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
  return {
    ...parts,
    env,
    sync: new GroupSync(parts.protocol.paths.root),
    missingKeys: watchMissingKeys(env),
    budget: new FailureBudget(parts.options.maxFailures, alreadyFailed),
    totals: { done: 0, failed: 0, dropped: 0 },
    pace: { lastYieldMs: performance.now(), readAtOnce: 1, checkpointCostMs: 0 },
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
