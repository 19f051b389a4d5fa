import { MillraceError } from "../../errors/errors.ts";
import { isThenable } from "../../runtime/is-thenable.ts";
import { untilIdle } from "../../runtime/until-idle.ts";
import type { OpenCall } from "../calls/open-call.ts";

interface CallLimits {
  /** The name of the hook, for the message. */
  readonly hook?: "forward" | "prefetch";
  readonly timeoutMs: number | undefined;
  readonly indices: readonly number[];
  readonly call: Pick<OpenCall, "timeOut">;
}

/** Waits for what a hook promised, but no longer than the items may take, or than anything is left that could settle it. */
export async function awaitHook<T>(
  promise: T,
  { hook = "forward", timeoutMs, indices, call }: CallLimits,
): Promise<Awaited<T>> {
  if (!isThenable(promise)) return await promise;
  if (timeoutMs === undefined) return (await untilIdle(promise, () => neverSettled(hook, indices))) as Awaited<T>;
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
  return new MillraceError("ITEM_TIMEOUT", `${hook} took more than ${allowedMs} ms for ${itemsName(indices)}.`, {
    hint: "Raise itemTimeout, or find out why this item takes so long.",
  });
}

function neverSettled(hook: string, indices: readonly number[]): MillraceError {
  const what = `the promise that ${hook} returned for ${itemsName(indices)} can never settle`;
  return new MillraceError("ITEM_TIMEOUT", `${what}: no timer, file or connection is open any more.`, {
    hint: "Find the promise that is never resolved: a callback that is not called, a stream that ended without an event.",
  });
}

function itemsName(indices: readonly number[]): string {
  return indices.length === 1 ? `item ${indices[0]}` : `a batch of ${indices.length} items`;
}
