import type { CodeSource } from "../code/code-snapshot.ts";
import type { OnCodeChange } from "../code/compare-code.ts";
import type { ParallelConfig } from "../config/parallel.ts";
import type { StopRequests } from "../launchers/launcher.ts";
import type { Items } from "../plan/collect-items.ts";
import type { ItemList } from "../plan/item-list.ts";
import type { IdentityParts } from "../store/fingerprint.ts";
import type { KnownShard } from "../store/known-shard.ts";
import type { RunSpec } from "../store/run-spec.ts";
import type { RunnerHooks, RunnerTraits } from "../worker/runner-hooks.ts";
import type { WorkOptions } from "../worker/work-options.ts";

/** The runner's merge; what the driver knows of the shards comes along. */
export type MergeShards<Merged> = (
  shardDirs: string[],
  committed: ReadonlyMap<number, KnownShard>,
) => Merged | PromiseLike<Merged>;

/** A run as its runner asks for it, with every option checked. */
export interface RunRequest<Merged> {
  readonly runDir: string;
  readonly items: Items | ItemList;
  readonly identity: Omit<IdentityParts, "items">;
  readonly spec: RunSpec;
  readonly resume: boolean;
  readonly acceptChange: boolean;
  /** Where its code is found; undefined where a `version` decides, or nothing of the run is kept. */
  readonly code: CodeSource | undefined;
  readonly onCodeChange: OnCodeChange | undefined;
  readonly shards: number | undefined;
  readonly parallel: ParallelConfig;
  /** `maxFailures` may still be a share of the items. */
  readonly work: WorkOptions;
  readonly runner: RunnerHooks;
  readonly traits: RunnerTraits;
  readonly buildEnv: () => Promise<object>;
  readonly teardown: (env: object) => void | PromiseLike<void>;
  readonly merge: MergeShards<Merged>;
  readonly progress: boolean;
  readonly stop: StopRequests;
  /** Refuses classes and params that a worker elsewhere could not get. */
  readonly requireSendable: () => void;
}
