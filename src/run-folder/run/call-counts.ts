import type { WorkerReport } from "../files/worker-report.ts";

/** The calls of `forward` of a worker, or of all workers of a run, if several may be open at the same time. */
export interface CallCounts {
  /** Calls that have begun and not ended. */
  readonly inFlight: number;
  /** Calls that wait for the rate limit of the run. */
  readonly waitingForRate: number;
  /** Calls that have failed and wait for their next try. */
  readonly waitingForRetry: number;
  /** Calls that were repeated so far, by the workers that are alive. */
  readonly retries: number;
}

/** The calls that a worker reports; undefined for one that makes them one after another. */
export function callCountsOf({ inFlight, waiting, retrying, retries }: WorkerReport): CallCounts | undefined {
  if (inFlight === undefined) return undefined;
  return { inFlight, waitingForRate: waiting ?? 0, waitingForRetry: retrying ?? 0, retries: retries ?? 0 };
}

/** The calls of all workers together; undefined if none has any. */
export function sumCallCounts(reports: readonly WorkerReport[]): CallCounts | undefined {
  const counts = reports.map(callCountsOf).filter((one) => one !== undefined);
  if (counts.length === 0) return undefined;
  return counts.reduce((sum, one) => ({
    inFlight: sum.inFlight + one.inFlight,
    waitingForRate: sum.waitingForRate + one.waitingForRate,
    waitingForRetry: sum.waitingForRetry + one.waitingForRetry,
    retries: sum.retries + one.retries,
  }));
}
