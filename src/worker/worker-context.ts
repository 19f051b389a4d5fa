import type { RunPlace } from "../contract/run-place.ts";
import type { RunnerHooks, RunnerTraits } from "../contract/runner-hooks.ts";
import type { WorkOptions } from "../contract/work-options.ts";
import type { History } from "../run-folder/history/history.ts";
import type { Lease } from "../run-folder/lease/lease.ts";
import type { FirstScan } from "../run-folder/run/first-look.ts";
import type { Run } from "../run-folder/run/run.ts";
import type { KnownShard } from "../run-folder/shard/known-shard.ts";
import type { Heartbeat } from "./heartbeat/heartbeat.ts";
import type { Protocol } from "./lease-protocol.ts";

/** The user's code and its options: what is run, wherever the worker is. */
export interface WorkerTask {
  readonly hooks: RunnerHooks;
  readonly traits: RunnerTraits;
  /** `maxFailures` may be a share of the items: see `allowedFailures`. */
  readonly options: WorkOptions;
  /** Builds the env; called once, and only if there is something left to do. */
  readonly buildEnv: () => Promise<object>;
  readonly teardown: (env: object) => void | PromiseLike<void>;
  /** What is added to the env. */
  readonly place?: RunPlace | undefined;
}

/** This process (or thread) as a member of a run. */
export interface Member {
  readonly lease: Lease;
  /** Claims and commits in the name of this member. */
  readonly protocol: Protocol;
  readonly heartbeat: Heartbeat;
  /** Where the ends of its attempts are written, and of those that it takes from others. */
  readonly history: History;
}

/** Everything a worker needs to take part in a run. */
export interface WorkerContext {
  readonly run: Run;
  readonly task: WorkerTask;
  readonly member: Member;
  /** What the driver found in the run folder before it started workers; undefined without a driver. */
  readonly firstScan: FirstScan | undefined;
  /** How many workers take part, as far as is known. */
  readonly workerCount: number;
  /** Whether it is time to leave: the worker then checkpoints, releases its shard and stops. To be called between two items. */
  readonly isLeaving: () => boolean;
  /** Whether the worker was asked to leave. */
  readonly isStopping: () => boolean;
  /** Whether an item of this length would not end before the worker must have left. */
  readonly isTimeUpFor: (itemMs: number) => boolean;
  /** Whether the memory of the worker has grown too large: another worker takes its place. */
  readonly isTooLarge?: (() => boolean) | undefined;
  /** Called with the error that the worker is going to fail with, before its env is torn down. */
  readonly onFailing?: ((error: unknown) => void) | undefined;
  /** Called when a committed shard turns out to be damaged and is computed again. */
  readonly onDamage: (reason: string) => void;
}

/** What a worker knows when it ends: the shards it found committed or committed itself. */
export interface WorkerOutcome {
  readonly kind: "complete" | "left";
  readonly committed: ReadonlyMap<number, KnownShard>;
}
