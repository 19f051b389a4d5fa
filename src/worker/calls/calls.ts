import { concurrencyOf } from "../../contract/work-options.ts";
import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { openRateLimiter, type RateLimiter } from "../../run-folder/rate/open-rate-limiter.ts";
import type { WorkerCounts } from "../heartbeat/heartbeat.ts";
import type { WorkerTask } from "../worker-context.ts";
import { CallSlots } from "./call-slots.ts";
import type { PrefetchRoom } from "./prefetcher.ts";

/** The calls of `forward` of one worker, over all its shards. */
export interface Calls {
  readonly concurrency: number;
  /** Calls come one after another, without a limit of their rate and without `prefetch`: the hot path. */
  readonly isPlain: boolean;
  readonly slots: CallSlots;
  /** Undefined where any number of calls may begin. */
  readonly rate: RateLimiter | undefined;
  /** Bytes of results that wait for an earlier item, and how many there may be. */
  readonly waiting: { bytes: number; readonly maxBytes: number };
  readonly prefetched: PrefetchRoom;
  /** Calls that were repeated, and those that wait for that now. */
  readonly retries: { count: number; waiting: number };
  counts(): Pick<WorkerCounts, "inFlight" | "waiting" | "retrying" | "retries">;
}

const usualWaitingBytes = 64 * 2 ** 20;
const usualPrefetchBytes = 256 * 2 ** 20;

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
    waiting: { bytes: 0, maxBytes: options.maxWaitingBytes ?? usualWaitingBytes },
    prefetched: { bytes: 0, maxBytes: options.prefetchBytes ?? usualPrefetchBytes },
    retries,
    counts() {
      const waiting = rate?.waiting ?? 0;
      return { inFlight: slots.taken - waiting, waiting, retrying: retries.waiting, retries: retries.count };
    },
  };
}

/** Whether calls of `forward` come one after another, without a limit of their rate and without `prefetch`. */
function isPlain({ options, hooks }: Pick<WorkerTask, "options" | "hooks">): boolean {
  return concurrencyOf(options) === 1 && options.rateLimit === undefined && hooks.prefetch === undefined;
}

// Each open shard has open files.
const maxOpenShards = 256;

/** How many shards a worker may work on at the same time. */
export function maxShardsOf({ options, hooks }: Pick<WorkerTask, "options" | "hooks">): number {
  if (isPlain({ options, hooks })) return 1;
  // One more: its first items are fetched while the last ones of the other shard run.
  return Math.min(maxOpenShards, concurrencyOf(options) + 1);
}
