import type { KnownShard } from "../run-folder/shard/known-shard.ts";
import type { EnvironmentProvider } from "./environment-provider.ts";
import type { Awaitable } from "./runner-hooks.ts";
import type { CheckedOptions, GivenOptions } from "./runner-options.ts";
import type { RunnerStatics } from "./runner-traits.ts";

/** Committed shards by their number. */
export type CommittedShards = ReadonlyMap<number, KnownShard>;

/** Merges the committed shards of a run. */
export type MergeShards<Merged> = (
  shardDirs: string[],
  run: { readonly runDir: string; readonly committed: CommittedShards },
) => Awaitable<Merged>;

/** Everything that a driver needs to know about a runner, with checked options. */
export interface Task<Merged> {
  readonly runner: RunnerStatics;
  readonly provider: EnvironmentProvider<object>;
  readonly options: CheckedOptions;
  /** The options before the check. A run that is continued from its folder gets them again. */
  readonly given: GivenOptions;
  /** The own options of the runner, checked. */
  readonly classOptions: object;
  readonly merge: MergeShards<Merged>;
}

/** Which failed items are run again. Default: all. */
export interface RetryFilter {
  /** Only items whose error message matches. */
  readonly error?: RegExp | undefined;
}

/** A job that runs without the process that submitted it. */
export interface DetachedJob {
  readonly env: string;
  /** The scheduler's id of the submission. */
  readonly id: string;
  /** Its name at the scheduler. */
  readonly name: string;
  /** Tasks of the array, and workers in all of them. */
  readonly tasks: number;
  readonly workers: number;
  readonly runDir: string;
}

/** A run whose workers finish without this process. */
export interface SubmittedRun {
  readonly runDir: string;
  /** Empty if all shards were already committed. */
  readonly jobs: readonly DetachedJob[];
  /** The files in `asyncSpecsDir`, one for each task of a job. */
  readonly specs: readonly string[];
  readonly resultDir: string | undefined;
}
