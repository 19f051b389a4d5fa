import { MillraceError } from "../../errors/errors.ts";
import type { OpenCall } from "../calls/open-call.ts";

interface CallLimits {
  /** The name of the hook, for the message. */
  readonly hook?: "forward" | "prefetch";
  readonly timeoutMs: number | undefined;
  readonly indices: readonly number[];
  readonly call: Pick<OpenCall, "timeOut">;
}

/** Waits for the promise of a hook, but not longer than its items may take. */
export async function awaitHook<T>(
  promise: T,
  { hook = "forward", timeoutMs, indices, call }: CallLimits,
): Promise<Awaited<T>> {
  if (timeoutMs === undefined) return await promise;
  let timer: NodeJS.Timeout | undefined;
  // The time limit is per item.
  const allowedMs = timeoutMs * indices.length;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = timedOut(hook, indices, allowedMs);
      reject(error);
      call.timeOut(error);
    }, allowedMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
    // A rejection after the time limit is ignored, so that it does not end the process.
    Promise.resolve(promise).catch(() => {});
  }
}

function timedOut(hook: string, indices: readonly number[], allowedMs: number): MillraceError {
  const what = indices.length === 1 ? `item ${indices[0]}` : `a batch of ${indices.length} items`;
  return new MillraceError("ITEM_TIMEOUT", `${hook} took more than ${allowedMs} ms for ${what}.`, {
    hint: "Raise itemTimeout, or find out why this item takes so long.",
  });
}
