import type { RunnerHooks } from "../../contract/runner-hooks.ts";
import type { WorkOptions } from "../../contract/work-options.ts";
import { isMillraceError } from "../../errors/errors.ts";
import { refusalOf } from "../../errors/retry-after-error.ts";

/** The options that decide whether and when a failed call is repeated. */
export type RetryPolicy = Pick<WorkOptions, "retries" | "retryDelayMs" | "maxRetryDelayMs">;

const defaultRetryDelayMs = 100;
const defaultMaxRetryDelayMs = 30_000;
// The longest wait that a server can ask for.
const maxRetryAfterMs = 3_600_000;

/** Whether a server has refused the call because it is busy: then the items are not the cause. */
export function isBusy(error: unknown): boolean {
  const { status, retryAfterMs } = refusalOf(error);
  return retryAfterMs !== undefined || status === 429 || status === 503;
}

/**
 * How long to wait before a call is repeated: a random time up to a maximum that doubles with each try, so that calls
 * that failed at the same time are not repeated at the same time. The wait that the server has asked for is added.
 */
export function retryDelay(
  error: unknown,
  {
    retry,
    policy,
    random = Math.random,
  }: { readonly retry: number; readonly policy: RetryPolicy; readonly random?: () => number },
): number {
  const { retryDelayMs = defaultRetryDelayMs, maxRetryDelayMs = defaultMaxRetryDelayMs } = policy;
  const backOffMs = random() * Math.min(maxRetryDelayMs, retryDelayMs * 2 ** Math.min(retry, 30));
  return Math.min(refusalOf(error).retryAfterMs ?? 0, maxRetryAfterMs) + backOffMs;
}

/**
 * Whether a failed call is repeated: not if every item would fail in the same way, or if `retryIf` of the runner
 * returns false.
 */
export function isRepeated(
  error: unknown,
  retry: number,
  { hooks, policy }: { readonly hooks: RunnerHooks; readonly policy: RetryPolicy },
): boolean {
  return retry < policy.retries && !isMistake(error) && (hooks.retryIf?.(error) ?? true);
}

/** Whether the error is a mistake in the runner, because of which every item would fail. */
export function isMistake(error: unknown): boolean {
  return isMillraceError(error) && (error.code === "BAD_RUNNER" || error.code === "BATCH_RESULT");
}
