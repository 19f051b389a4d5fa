import { MillraceError } from "../../errors/errors.ts";
import { isThenable } from "../../runtime/is-thenable.ts";

/** Waits for what `forward` promised, but no longer than the items may take. */
export async function awaitForward(
  promise: PromiseLike<unknown>,
  { timeoutMs, indices }: { timeoutMs: number | undefined; indices: readonly number[] },
): Promise<unknown> {
  if (timeoutMs === undefined) return promise;
  let timer: NodeJS.Timeout | undefined;
  // A batch may take as long as its items one after the other.
  const allowedMs = timeoutMs * indices.length;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(timedOut(indices, allowedMs)), allowedMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
    // A rejection after the time-out is ignored: it must not end the process.
    Promise.resolve(promise).catch(() => {});
  }
}

function timedOut(indices: readonly number[], allowedMs: number): MillraceError {
  const what = indices.length === 1 ? `item ${indices[0]}` : `a batch of ${indices.length} items`;
  return new MillraceError("ITEM_TIMEOUT", `forward took more than ${allowedMs} ms for ${what}.`, {
    hint: "Raise itemTimeout, or find out why this item takes so long.",
  });
}

/** Awaits the result of one call of `forward`, where it is a promise. */
export function settle(
  answer: unknown,
  options: { timeoutMs: number | undefined; indices: readonly number[] },
): unknown {
  return isThenable(answer) ? awaitForward(answer, options) : answer;
}
