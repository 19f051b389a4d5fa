import type { Plan } from "../plan/plan.ts";
import type { MissingKeys } from "../provider/watch-missing-keys.ts";
import type { GroupSync } from "../store/group-sync.ts";
import type { FailureBudget } from "./failure-log.ts";
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
  /** Whether the worker was asked to leave: it then checkpoints, releases its shard and stops. */
  readonly isLeaving: () => boolean;
}

/** Ends a shard without an error: the worker was asked to leave, or another one holds the shard now. */
export class ShardInterrupted extends Error {
  readonly reason: "leaving" | "lost";

  constructor(reason: "leaving" | "lost") {
    super(reason);
    this.reason = reason;
  }
}
