import { concurrencyOf } from "../../contract/work-options.ts";
import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { openRateLimiter, type RateLimiter } from "../../run-folder/rate/open-rate-limiter.ts";
import type { WorkerCounts } from "../heartbeat/heartbeat.ts";
import type { WorkerTask } from "../worker-context.ts";
import { CallSlots } from "./call-slots.ts";
import type { PrefetchMemory } from "./prefetcher.ts";

/** The calls of `forward` of one worker, over all its shards. */
export interface Calls {
  readonly concurrency: number;
  /** Calls come one after another, without rate limit and without `prefetch`: the hot path. */
  readonly isPlain: boolean;
  readonly slots: CallSlots;
  /** Undefined if the run has no rate limit. */
  readonly rate: RateLimiter | undefined;
  /** Bytes of results that wait for an earlier item, and their maximum. */
  readonly waiting: { bytes: number; readonly maxBytes: number };
  readonly prefetched: PrefetchMemory;
  /** Calls that were repeated so far, and calls that wait for their next try. */
  readonly retries: { count: number; waiting: number };
  counts(): Pick<WorkerCounts, "inFlight" | "waiting" | "retrying" | "retries">;
}

const defaultWaitingBytes = 64 * 2 ** 20;
const defaultPrefetchBytes = 256 * 2 ** 20;

export function openCalls({ options, hooks }: WorkerTask, paths: RunPaths, worker: string): Calls {
  const concurrency = concurrencyOf(options);
  const slots = new CallSlots(concurrency);
  const rate =
    options.rateLimit === undefined ? undefined : openRateLimiter({ paths, limit: options.rateLimit, worker });
  const retries = { count: 0, waiting: 0 };
  return {
    concurrency,
    isPlain: isPlain({ options, hooks }),
    slots,
    rate,
    waiting: { bytes: 0, maxBytes: options.maxWaitingBytes ?? defaultWaitingBytes },
    prefetched: { bytes: 0, maxBytes: options.prefetchBytes ?? defaultPrefetchBytes },
    retries,
    counts() {
      const waiting = rate?.waiting ?? 0;
      return { inFlight: slots.taken - waiting, waiting, retrying: retries.waiting, retries: retries.count };
    },
  };
}

function isPlain({ options, hooks }: Pick<WorkerTask, "options" | "hooks">): boolean {
  return concurrencyOf(options) === 1 && options.rateLimit === undefined && hooks.prefetch === undefined;
}

// Limited because each open shard has open files.
const maxOpenShards = 256;

/** How many shards a worker may work on at the same time. */
export function maxShardsOf({ options, hooks }: Pick<WorkerTask, "options" | "hooks">): number {
  if (isPlain({ options, hooks })) return 1;
  // One more shard, whose first items are fetched while the last items of another one run.
  return Math.min(maxOpenShards, concurrencyOf(options) + 1);
}
