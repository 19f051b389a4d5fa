import type { Awaitable, ShardState, Writers } from "../worker/runner-hooks.ts";

/** The static side of a runner for a given env and result: `MyRunner satisfies RunnerClass<MyEnv, MyRecord>`. */
export interface RunnerClass<Env extends object, Result> extends ResultHooks<Env, Result> {
  readonly forward: (idx: number, env: Env) => Awaitable<Result>;
}

/** The same for a runner that is used with `batchSize`. */
export interface BatchRunnerClass<Env extends object, Result> extends ResultHooks<Env, Result> {
  readonly forward: (idx: number[], env: Env) => Awaitable<readonly Result[]>;
}

/** The hooks that get results: one at a time, whatever the batch. */
interface ResultHooks<Env extends object, Result> {
  // Methods, so that the defaults of BaseRunner, which take any result, fit too.
  writeRecord(writers: Writers, result: NonNullable<Result>, state: ShardState, env: Env, ...own: never[]): unknown;
  reduceState(state: ShardState, result: NonNullable<Result>, env: Env, ...own: never[]): unknown;
}
