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
   * Asks for one call. Returns undefined if it may begin at once, otherwise a promise that resolves when it may. Calls
   * are served in the order of their requests. Rejects with the reason of the signal if that aborts first.
   */
  take(signal?: AbortSignal): Promise<void> | undefined;
  /** Reports an error of a call: if the limit is adaptive and the server is busy, the whole run slows down. */
  slowDown(error: unknown): void;
  /** The number of calls that wait, and since when the first one waits, by the clock `now`. */
  readonly waiting: number;
  readonly waitingSince: number | undefined;
  /** Milliseconds that calls have waited, including those that still wait. */
  readonly waitedMs: number;
  /** Ends the timers and rejects the calls that wait. */
  close(): void;
}

/** What a limiter needs. A test passes its own files, clock and timers. */
export interface RateLimiterOptions {
  readonly limit: CheckedRateLimit;
  /** The name of the worker, for readers of the run folder. */
  readonly worker: string;
  readonly files: RateFiles;
  /** A clock in milliseconds that only grows. */
  readonly now?: () => number;
  /** Calls `act` after `ms` milliseconds; returns a function that cancels it. `isAwaited`: a call waits for it. */
  readonly setTimer?: (act: () => void, ms: number, isAwaited: boolean) => () => void;
  readonly random?: () => number;
}

// A file system whose clock has only whole seconds is asked this often until its time changes.
const impreciseReadMs = 20;

/** Opens a worker's part of a run's rate limit. */
export function openRateLimiter({
  paths,
  ...options
}: Omit<RateLimiterOptions, "files"> & { readonly paths: RunPaths }): RateLimiter {
  return openRateLimiterOn({ ...options, files: openRateFiles(paths) });
}

/** The same with other files, for tests. */
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
  let timer: { readonly atMs: number; readonly isAwaited: boolean; cancel(): void } | undefined;
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
      // In the next turn of the event loop: calls that ask until then get their tokens from the same files.
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

  function wakeIn(ms: number, isAwaited: boolean): void {
    if (isClosed || ms === Number.POSITIVE_INFINITY) return;
    const atMs = now() + ms;
    if (timer !== undefined && timer.atMs <= atMs && (timer.isAwaited || !isAwaited)) return;
    timer?.cancel();
    timer = { atMs, isAwaited, cancel: setTimer(wake, Math.max(0, Math.ceil(ms)), isAwaited) };
  }

  function wake(): void {
    timer = undefined;
    if (isClosed) return;
    try {
      if (!clock.isFresh(now()) || clock.isImprecise()) readClock();
      // Calls begin after this function has returned, so it handles the files first.
      if (!clock.isImprecise()) {
        policy.takeShares();
        serve();
      }
    } catch (error) {
      calls.rejectAll(storeError(error));
      return;
    }
    const isAwaited = calls.count > 0;
    if (clock.isImprecise()) wakeIn(impreciseReadMs, isAwaited);
    else wakeIn(isAwaited ? Math.min(policy.nextMs(), tokens.nextMs(now())) : policy.nextMs(), isAwaited);
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

// A timer that no call waits for does not keep the process alive.
function setNodeTimer(act: () => void, ms: number, isAwaited: boolean): () => void {
  const timer = setTimeout(act, ms);
  if (!isAwaited) timer.unref();
  return () => clearTimeout(timer);
}

function closedError(): Error {
  return new Error("The worker ends: this call does not begin.");
}
