import { isStoreTrouble } from "../run-folder/files/store-trouble.ts";

/** Carries out parts of a worker's life that may fail because of the file system, and can be done again later. */
export interface TroubleLimit {
  /** The result of `act`, or `otherwise` after a pause where the file system was in trouble. */
  outlast<Result>(act: () => Result | Promise<Result>, otherwise: Result): Promise<Result>;
  /** The worker has made progress. */
  reset(): void;
}

// A server that is restarted is back within a minute. A worker that makes no progress for longer ends with the error.
const maxTroubleMs = 90_000;
const firstPauseMs = 100;
const longestPauseMs = 5000;

/** `wait` ends early when the worker must leave. */
export function limitTrouble(
  wait: (ms: number) => Promise<void>,
  now: () => number = () => performance.now(),
): TroubleLimit {
  let sinceMs: number | undefined;
  let pauseMs = firstPauseMs;
  return {
    async outlast(act, otherwise) {
      try {
        return await act();
      } catch (error) {
        if (!isStoreTrouble(error)) throw error;
        sinceMs ??= now();
        if (now() - sinceMs > maxTroubleMs) throw error;
        await wait(pauseMs * (0.5 + Math.random()));
        pauseMs = Math.min(2 * pauseMs, longestPauseMs);
        return otherwise;
      }
    },
    reset() {
      sinceMs = undefined;
      pauseMs = firstPauseMs;
    },
  };
}
