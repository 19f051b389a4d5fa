import type { Plan } from "../plan/plan.ts";
import type { FirstLook } from "../store/first-look.ts";
import type { KnownShard } from "../store/known-shard.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { Protocol } from "./protocol.ts";
import type { RunnerHooks, RunnerTraits } from "./runner-hooks.ts";
import type { WorkOptions } from "./work-options.ts";

/** Everything a worker needs to take part in a run. */
export interface WorkerJob {
  readonly plan: Plan;
  readonly runner: RunnerHooks;
  readonly traits: RunnerTraits;
  readonly options: WorkOptions;
  readonly protocol: Protocol;
  readonly heartbeat: Heartbeat;
  /** Builds the env; called once, and only if there is something left to do. */
  readonly buildEnv: () => Promise<object>;
  readonly teardown: (env: object) => void | PromiseLike<void>;
  /** What the driver has found, where there is one. */
  readonly firstLook: FirstLook | undefined;
  /** How many workers take part, as far as is known. */
  readonly company: number;
  readonly isLeaving: () => boolean;
  /** Its memory has grown too large: another one is to go on, where it need not begin anew. */
  readonly isTooLarge?: (() => boolean) | undefined;
  /** The worker is going to fail with this error, once its env is torn down. */
  readonly onFailing?: ((error: unknown) => void) | undefined;
  /** A shard that was committed turned out to be damaged and is computed again. */
  readonly onDamage: (reason: string) => void;
}

/** What a worker knows when it ends: the shards it found committed or committed itself. */
export interface WorkerOutcome {
  readonly kind: "complete" | "left";
  readonly committed: ReadonlyMap<number, KnownShard>;
}
