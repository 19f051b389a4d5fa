/** A value, or a promise of it. */
export type Awaitable<T> = T | PromiseLike<T>;

/** A type that each subclass chooses. `defineRunner` compares it with the env and the result of the class. */
// biome-ignore lint/suspicious/noExplicitAny: a static method cannot use the type arguments of its class
export type OfSubclass = any;

/** The state of a shard, from item to item. All other keys belong to the runner and are saved. */
export interface ShardState {
  readonly shardId: number;
  readonly shardDir: string;
  /** The result of `openWriters`. */
  readonly writers: OfSubclass;
}

/** The number and the folder of a shard. */
export interface ShardPlace {
  readonly shardId: number;
  /** The folder for the files of the shard. The commit renames it to `split.N`. */
  readonly shardDir: string;
}

/** The static side of a runner, as a worker uses it. `own`: the own options of the class, which a worker leaves out. */
export interface RunnerHooks {
  readonly name: string;
  /** Its last argument also has the own options of the class. */
  forward(idx: number | readonly number[], env: object, call?: object): unknown;
  initState(place: ShardPlace, env: object, own?: object): Awaitable<ShardState>;
  reduceState(state: ShardState, result: unknown, env: object, own?: object): Awaitable<ShardState>;
  /** Writes the results of a whole batch; replaces `reduceState`. */
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
  /** Gets data that `forward` needs, ahead of it. */
  prefetch?(idx: number, env: object, own?: object): unknown;
}

/** What a worker needs to know about a runner besides its hooks. */
export interface RunnerTraits {
  /** The runner uses the standard writers, so the options for the default records apply. */
  readonly standardWriters: boolean;
  /** The runner opens only the standard files, so the folder of a shard need not be searched for others. */
  readonly standardFiles: boolean;
  /** The check of a committed shard, if the runner has one. */
  readonly isShardDone?: ((shardDir: string) => Awaitable<boolean>) | undefined;
}
