/** The context of a call of `forward`. */
export interface CallContext<Prefetched = undefined> {
  /**
   * Aborts when the answer is not needed any more: the item has exceeded its `itemTimeout`, the run was asked to stop,
   * or another worker has the shard. Pass it on (`fetch(url, { signal })`), so that the call ends at once.
   */
  readonly signal: AbortSignal;
  /** The number of the attempt at the shard. It grows each time a worker takes the shard over from another. */
  readonly attempt: number;
  /** The number of this try of the item or batch within the attempt: 1, or more with `retries`. */
  readonly tries: number;
  /** The number of the worker, from 0: see `currentWorker`. */
  readonly worker: number;
  /** What `prefetch` returned for the item; for a batch, an array with one entry for each item. */
  readonly prefetched: Prefetched;
}

/** Names that an option of a runner class cannot have, because `forward` gets both in one object. */
export const callContextNames: readonly (keyof CallContext)[] = ["signal", "attempt", "tries", "worker", "prefetched"];
