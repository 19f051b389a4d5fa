/** A value now or a promise of it. */
export type Awaitable<T> = T | PromiseLike<T>;

/** What a subclass gives a type of its own; `defineRunner` compares that with the env and the result of the class. */
// biome-ignore lint/suspicious/noExplicitAny: a static method cannot use the type arguments of its class
export type OfSubclass = any;

/** What a shard carries from item to item. Every further key belongs to the runner and is kept. */
export interface ShardState {
  readonly shardId: number;
  readonly shardDir: string;
  /** As `openWriters` returned them. */
  readonly writers: OfSubclass;
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
  /** Its last argument has the options that the class adds, too. */
  forward(idx: number | readonly number[], env: object, call?: object): unknown;
  initState(place: ShardPlace, env: object, own?: object): Awaitable<ShardState>;
  reduceState(state: ShardState, result: unknown, env: object, own?: object): Awaitable<ShardState>;
  /** Takes the results of a whole batch in, in the place of `reduceState`, where a runner has it. */
  writeBatch?(
    writers: object,
    results: unknown,
    state: ShardState,
    env: object,
    own?: object,
  ): Awaitable<void> | Awaitable<undefined>;
  finalizeState(state: ShardState, env: object, own?: object): Awaitable<object>;
  closeWriters(
    writers: object,
    state: ShardState,
    env: object,
    own?: object,
  ): Awaitable<object | undefined> | Awaitable<void>;
  itemCost?(idx: number, env: object, own?: object): number;
  /** Whether a call that failed with this error is repeated, within `retries`. Default: yes. */
  retryIf?(error: unknown, own?: object): boolean;
  /** Gets something that `forward` needs, ahead of it. */
  prefetch?(idx: number, env: object, own?: object): unknown;
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
