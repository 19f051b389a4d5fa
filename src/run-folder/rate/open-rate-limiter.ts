import { refusalOf } from "../../errors/retry-after-error.ts";
import type { RunPaths } from "../files/run-paths.ts";
import { storeError } from "../files/store-trouble.ts";
import { openRateFiles, type RateFiles } from "./rate-files.ts";
import type { CheckedRateLimit } from "./rate-limit.ts";
import { openSharePolicy } from "./share-policy.ts";
import { openSharedClock } from "./shared-clock.ts";
import { openSlowDowns } from "./slow-downs.ts";
import { openTokens } from "./tokens.ts";
import { openWaitingCalls } from "./waiting-calls.ts";

/** One worker's part of the rate limit of a run. */
export interface RateLimiter {
  /**
   * Asks for one call: undefined where it may begin at once, otherwise a promise for when it may. Calls are served in the
   * order in which they asked. Rejects with the signal's reason where it aborts first.
   */
  take(signal?: AbortSignal): Promise<void> | undefined;
  /** A call was refused: where the limit is adaptive and the server is busy, the whole run slows down. */
  slowDown(error: unknown): void;
  /** How many calls wait, and since when the first of them has, by the clock `now`. */
  readonly waiting: number;
  readonly waitingSince: number | undefined;
  /** Milliseconds that calls have waited, those that still wait included. */
  readonly waitedMs: number;
  /** Ends the timers and rejects the calls that wait. */
  close(): void;
}

/** What a limiter needs. A test gives it files, a clock and timers of its own. */
export interface RateLimiterOptions {
  readonly limit: CheckedRateLimit;
  /** The name of the worker, for readers of the run folder. */
  readonly worker: string;
  readonly files: RateFiles;
  /** Milliseconds that only ever grow. */
  readonly now?: () => number;
  /** Calls back after this many milliseconds, or a little later; returns what cancels it. `isVital`: a call waits for it. */
  readonly setTimer?: (act: () => void, ms: number, isVital: boolean) => () => void;
  readonly random?: () => number;
}

// The clock of a file system that has only whole seconds is read this often until it changes.
const vagueMs = 20;

/** Opens a worker's part of a run's rate limit. */
export function openRateLimiter({
  paths,
  ...options
}: Omit<RateLimiterOptions, "files"> & { readonly paths: RunPaths }): RateLimiter {
  return openRateLimiterOn({ ...options, files: openRateFiles(paths) });
}

/** The same on any files. */
export function openRateLimiterOn({
  limit,
  worker,
  files,
  now = () => performance.now(),
  setTimer = setNodeTimer,
  random = Math.random,
}: RateLimiterOptions): RateLimiter {
  const clock = openSharedClock();
  const tokens = openTokens(clock);
  const calls = openWaitingCalls(now);
  const slowDowns = openSlowDowns(files, limit);
  const policy = openSharePolicy({ limit, worker, files, clock, tokens, calls, slowDowns, now, random });
  let timer: { readonly atMs: number; readonly isVital: boolean; cancel(): void } | undefined;
  let isClosed = false;

  return {
    take(signal) {
      if (signal?.aborted || isClosed) return Promise.reject(signal?.reason ?? closedError());
      if (calls.count === 0 && tokens.use(now())) {
        policy.countUse();
        wakeIn(policy.nextMs(), false);
        return undefined;
      }
      const waited = calls.add(signal);
      // Not at once: further calls that ask now get their tokens with the same files.
      wakeIn(0, true);
      return waited;
    },
    slowDown(error) {
      const { status, retryAfterMs } = refusalOf(error);
      if (!limit.adaptive || isClosed) return;
      if (status !== 429 && status !== 503 && retryAfterMs === undefined) return;
      if (!clock.isFresh(now())) readClock();
      slowDowns.add(policy.slot());
    },
    get waiting() {
      return calls.count;
    },
    get waitingSince() {
      return calls.since;
    },
    get waitedMs() {
      return calls.waitedMs;
    },
    close() {
      isClosed = true;
      timer?.cancel();
      calls.rejectAll(closedError());
    },
  };

  function wakeIn(ms: number, isVital: boolean): void {
    if (isClosed || ms === Number.POSITIVE_INFINITY) return;
    const atMs = now() + ms;
    if (timer !== undefined && timer.atMs <= atMs && (timer.isVital || !isVital)) return;
    timer?.cancel();
    timer = { atMs, isVital, cancel: setTimer(wake, Math.max(0, Math.ceil(ms)), isVital) };
  }

  function wake(): void {
    timer = undefined;
    if (isClosed) return;
    try {
      if (!clock.isFresh(now()) || clock.isVague()) readClock();
      // Calls begin when this function has returned, so files are dealt with before.
      if (!clock.isVague()) {
        policy.takeShares();
        serve();
      }
    } catch (error) {
      calls.rejectAll(storeError(error));
      return;
    }
    const isVital = calls.count > 0;
    if (clock.isVague()) wakeIn(vagueMs, isVital);
    else wakeIn(isVital ? Math.min(policy.nextMs(), tokens.nextMs(now())) : policy.nextMs(), isVital);
  }

  function serve(): void {
    while (calls.count > 0 && tokens.use(now())) {
      policy.countUse();
      calls.resolveFirst();
    }
  }

  function readClock(): void {
    const beforeMs = now();
    const writtenMs = files.clock();
    clock.add(writtenMs, beforeMs, now());
  }
}

// A timer that only looks ahead does not keep the process alive.
function setNodeTimer(act: () => void, ms: number, isVital: boolean): () => void {
  const timer = setTimeout(act, ms);
  if (!isVital) timer.unref();
  return () => clearTimeout(timer);
}

function closedError(): Error {
  return new Error("The worker ends: this call does not begin.");
}
