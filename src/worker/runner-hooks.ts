/** A value now or a promise of it. */
export type Awaitable<T> = T | PromiseLike<T>;

/** The writers of a shard by key, as `openWriters` returned them. */
export type Writers = Record<string, unknown>;

/** What a shard carries from item to item. Everything but the three named keys is the runner's own and is kept. */
export interface ShardState {
  readonly shardId: number;
  readonly shardDir: string;
  readonly writers: Writers;
  [key: string]: unknown;
}

/** Where a shard is worked on. */
export interface ShardPlace {
  readonly shardId: number;
  /** The folder for the shard's files while it is being made; it becomes `split.N` with the commit. */
  readonly shardDir: string;
}

/** The static side of a runner, as a worker uses it. `own` are the options that the class adds; a worker leaves them out. */
export interface RunnerHooks {
  readonly name: string;
  forward(idx: number | readonly number[], env: object, own?: object): unknown;
  initState(place: ShardPlace, env: object, own?: object): Awaitable<ShardState>;
  reduceState(state: ShardState, result: unknown, env: object, own?: object): Awaitable<ShardState>;
  /** Takes the results of a whole batch in, in the place of `reduceState`, where a runner has it. */
  writeBatch?(
    writers: Writers,
    results: unknown,
    state: ShardState,
    env: object,
    own?: object,
  ): Awaitable<void> | Awaitable<undefined>;
  finalizeState(state: ShardState, env: object, own?: object): Awaitable<object>;
  closeWriters(
    writers: Writers,
    state: ShardState,
    env: object,
    own?: object,
  ): Awaitable<object | undefined> | Awaitable<void>;
  itemCost?(idx: number, env: object, own?: object): number;
}

/** What a worker must know about a runner besides its hooks. */
export interface RunnerTraits {
  /** The runner opens the standard writers, so the run's options for the default records count. */
  readonly standardWriters: boolean;
  /** The runner opens no files but the standard ones, so a shard's folder need not be searched for others. */
  readonly standardFiles: boolean;
  /** The runner's own check of a committed shard, where it has one. */
  readonly isShardDone?: ((shardDir: string) => Awaitable<boolean>) | undefined;
}
