import type { CheckedRateLimit } from "../run-folder/rate/rate-limit.ts";

/** How a worker treats items. All of it may change from one resume to the next. */
export interface WorkOptions {
  /** Indices per call of `forward`; undefined: one index, not an array. */
  readonly batchSize: number | undefined;
  readonly batchBy: BatchBy | undefined;
  readonly onError: "fail" | "skip";
  /** Further tries of a failing item before it counts as failed. */
  readonly retries: number;
  /** The longest first pause before a further try, and the longest of all; specs of older versions have neither. */
  readonly retryDelayMs?: number | undefined;
  readonly maxRetryDelayMs?: number | undefined;
  /** Calls of `forward` that a worker may have open at the same time. Default: 1. */
  readonly concurrency?: number | undefined;
  /** Bytes of results that wait for an earlier item, at most, before no more calls are begun. */
  readonly maxWaitingBytes?: number | undefined;
  /** Items that `prefetch` is ahead of `forward`, and the bytes it may hold. */
  readonly prefetchItems?: number | undefined;
  readonly prefetchBytes?: number | undefined;
  /** How many calls the whole run may make. */
  readonly rateLimit?: CheckedRateLimit | undefined;
  /** How many items may fail before the run stops. */
  readonly maxFailures: number;
  readonly itemTimeoutMs: number | undefined;
  /** Bytes of memory above which a worker with a process of its own is replaced. */
  readonly maxRss: number | undefined;
  readonly checkpointIntervalMs: number;
  /** What becomes of NaN and the infinities in the default records; specs of older versions do not say it. */
  readonly nonFinite?: "refuse" | "null" | undefined;
  readonly leaseTtlMs: number;
  /** Where the records of each committed shard are put as a file of their own. */
  readonly resultDir?: string | undefined;
  /** Instead of running what is open: run failed items once more. */
  readonly retry?: RetryOrder | undefined;
}

/** Which failed items are to be run once more. */
export interface RetryOrder {
  /** Each shard with the attempt that made it: one that a newer attempt has made was retried already. */
  readonly shards: readonly (readonly [shard: number, attempt: number])[];
  /** A pattern of the error's message. */
  readonly error: { readonly source: string; readonly flags: string } | undefined;
}

/** Batches by the runner's static `itemCost(idx, env)` instead of by count. */
export interface BatchBy {
  /** `sum`: the costs added up. `padded`: the greatest cost times the number, as a padded tensor costs. */
  readonly cost: "sum" | "padded";
  /** A batch stays at or below it; an item that costs more is a batch by itself. */
  readonly max: number;
}

/** Whether `forward` gets arrays. */
export function isBatched({ batchSize, batchBy }: Pick<WorkOptions, "batchSize" | "batchBy">): boolean {
  return batchSize !== undefined || batchBy !== undefined;
}

/** How many calls of `forward` a worker may have open. */
export function concurrencyOf({ concurrency = 1 }: Pick<WorkOptions, "concurrency">): number {
  return concurrency;
}
