import type { CheckedRateLimit } from "../run-folder/rate/rate-limit.ts";

/** The options of a worker. All of them may change from one resume to the next. */
export interface WorkOptions {
  /** Indices per call of `forward`; undefined: one index, not an array. */
  readonly batchSize: number | undefined;
  readonly batchBy: BatchBy | undefined;
  readonly onError: "fail" | "skip";
  /** How many times a failing item is tried again before it counts as failed. */
  readonly retries: number;
  /** The maximum of the first pause before a retry, and of all pauses. Absent in specs of older versions. */
  readonly retryDelayMs?: number | undefined;
  readonly maxRetryDelayMs?: number | undefined;
  /** Calls of `forward` that a worker may have open at the same time. Default: 1. */
  readonly concurrency?: number | undefined;
  /** Bytes of results that may wait for an earlier item. Above it, no more calls begin. */
  readonly maxWaitingBytes?: number | undefined;
  /** How many items `prefetch` may be ahead of `forward`, and how many bytes its values may take. */
  readonly prefetchItems?: number | undefined;
  readonly prefetchBytes?: number | undefined;
  /** How many calls the whole run may begin. */
  readonly rateLimit?: CheckedRateLimit | undefined;
  /** How many items may fail before the run stops. */
  readonly maxFailures: number;
  readonly itemTimeoutMs: number | undefined;
  /** Bytes of memory above which a worker process is replaced. */
  readonly maxRss: number | undefined;
  readonly checkpointIntervalMs: number;
  /** How NaN and infinities in the default records are handled. Absent in specs of older versions. */
  readonly nonFinite?: "refuse" | "null" | undefined;
  readonly leaseTtlMs: number;
  /** The folder to which the records of each committed shard are copied. */
  readonly resultDir?: string | undefined;
  /** Run failed items again instead of open shards. */
  readonly retry?: RetryOrder | undefined;
}

/** Which failed items to run again. */
export interface RetryOrder {
  /** Each shard with the attempt that made it. A shard that was made by a newer attempt is already retried. */
  readonly shards: readonly (readonly [shard: number, attempt: number])[];
  /** A pattern for the message of the error. */
  readonly error: { readonly source: string; readonly flags: string } | undefined;
}

/** Batches by the runner's static `itemCost(idx, env)` instead of by count. */
export interface BatchBy {
  /** `sum`: the sum of the costs. `padded`: the maximum cost times the number of items, as in a padded tensor. */
  readonly cost: "sum" | "padded";
  /** The maximum cost of a batch. An item that costs more is a batch by itself. */
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
