import type { RunnerHooks } from "../../contract/runner-hooks.ts";
import type { WorkOptions } from "../../contract/work-options.ts";
import { isMillraceError } from "../../errors/errors.ts";
import { refusalOf } from "../../errors/retry-after-error.ts";

/** What decides whether and when a failed call is repeated. */
export type RetryPolicy = Pick<WorkOptions, "retries" | "retryDelayMs" | "maxRetryDelayMs">;

const usualRetryDelayMs = 100;
const usualMaxRetryDelayMs = 30_000;
// A server that asks for more is not waited for any longer than this.
const maxRetryAfterMs = 3_600_000;

/** Whether a server has refused the call because it is busy, so that the items are not to blame. */
export function isBusy(error: unknown): boolean {
  const { status, retryAfterMs } = refusalOf(error);
  return retryAfterMs !== undefined || status === 429 || status === 503;
}

/**
 * How long to wait before a call is repeated: between nothing and a time that doubles with each try, so that many calls that failed
 * together do not come back together. What the server has asked for is added to it.
 */
export function retryDelay(
  error: unknown,
  {
    retry,
    policy,
    random = Math.random,
  }: { readonly retry: number; readonly policy: RetryPolicy; readonly random?: () => number },
): number {
  const { retryDelayMs = usualRetryDelayMs, maxRetryDelayMs = usualMaxRetryDelayMs } = policy;
  const backOffMs = random() * Math.min(maxRetryDelayMs, retryDelayMs * 2 ** Math.min(retry, 30));
  return Math.min(refusalOf(error).retryAfterMs ?? 0, maxRetryAfterMs) + backOffMs;
}

/** Whether a failed call is repeated: not where every item would fail in the same way, or the runner's `retryIf` says no. */
export function isRepeated(
  error: unknown,
  retry: number,
  { hooks, policy }: { readonly hooks: RunnerHooks; readonly policy: RetryPolicy },
): boolean {
  return retry < policy.retries && !isMistake(error) && (hooks.retryIf?.(error) ?? true);
}

/** A mistake of the runner: every item would fail the same way. */
export function isMistake(error: unknown): boolean {
  return isMillraceError(error) && (error.code === "BAD_RUNNER" || error.code === "BATCH_RESULT");
}
