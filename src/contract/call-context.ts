/** What `forward` gets to know about its call. */
export interface CallContext<Prefetched = undefined> {
  /**
   * Aborts when nothing waits for the answer any more: the item has used up its `itemTimeout`, the run was asked to stop, or
   * another worker has the shard. Pass it on (`fetch(url, { signal })`), and the call ends at once.
   */
  readonly signal: AbortSignal;
  /** The number of the attempt at the shard. It grows each time a worker takes the shard over from another. */
  readonly attempt: number;
  /** Which try of the item, or of the batch, this is within the attempt: 1, and more with `retries`. */
  readonly tries: number;
  /** The number of the worker, from 0: see `currentWorker`. */
  readonly worker: number;
  /** What `prefetch` returned for the item; for a batch, an array with one entry for each item. */
  readonly prefetched: Prefetched;
}

/** Names that an option of a runner class cannot have, because `forward` gets both in one object. */
export const callContextNames: readonly (keyof CallContext)[] = ["signal", "attempt", "tries", "worker", "prefetched"];
