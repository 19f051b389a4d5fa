import type { RunPlace } from "../contract/run-place.ts";
import type { RunnerHooks, RunnerTraits } from "../contract/runner-hooks.ts";
import type { WorkOptions } from "../contract/work-options.ts";
import type { History } from "../run-folder/history/history.ts";
import type { Lease } from "../run-folder/lease/lease.ts";
import type { FirstScan } from "../run-folder/run/first-scan.ts";
import type { Run } from "../run-folder/run/run.ts";
import type { KnownShard } from "../run-folder/shard/known-shard.ts";
import type { Heartbeat } from "./heartbeat/heartbeat.ts";
import type { Protocol } from "./lease-protocol.ts";

/** The user's code and its options. */
export interface WorkerTask {
  readonly hooks: RunnerHooks;
  readonly traits: RunnerTraits;
  /** `maxFailures` may be a share of the items: see `allowedFailures`. */
  readonly options: WorkOptions;
  /** Builds the env. Called once, and only if items are left. */
  readonly buildEnv: () => Promise<object>;
  readonly teardown: (env: object) => void | PromiseLike<void>;
  /** The place of the run, which is added to the env. */
  readonly place?: RunPlace | undefined;
}

/** This process (or thread) as a member of a run. */
export interface Member {
  readonly lease: Lease;
  /** Claims and commits for this member. */
  readonly protocol: Protocol;
  readonly heartbeat: Heartbeat;
  /** The history of its attempts, and of the attempts that it takes from dead workers. */
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
  /**
   * Whether it is time to leave: the worker then saves a checkpoint, releases its shard and stops. Called between two
   * items.
   */
  readonly isLeaving: () => boolean;
  /** Whether the worker was asked to leave. */
  readonly isStopping: () => boolean;
  /** Whether an item of this length would exceed the deadline of the worker. */
  readonly isTimeUpFor: (itemMs: number) => boolean;
  /** Whether the memory of the worker has grown too large: then another worker replaces it. */
  readonly isTooLarge?: (() => boolean) | undefined;
  /** Called with the error that the worker is going to fail with, before its env is torn down. */
  readonly onFailing?: ((error: unknown) => void) | undefined;
  /** Called when a committed shard is found to be damaged; it is computed again. */
  readonly onDamage: (reason: string) => void;
}

/** The result of a worker. `committed`: the shards it found committed or committed itself. */
export interface WorkerOutcome {
  readonly kind: "complete" | "left";
  readonly committed: ReadonlyMap<number, KnownShard>;
}
