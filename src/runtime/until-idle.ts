type Give = (error: Error) => void;

/** What is waited for, and the error that it gets when nothing can settle it any more. */
const waiting = new Map<Give, { readonly error: () => Error; readonly isLast: boolean }>();

/**
 * Waits for a promise of the user's code. Rejects with `error()` when the event loop of this process is empty before: nothing is left
 * then that could settle it, and Node.js would end the process without a message. `isLast`: only if nothing else waits like this, for
 * what contains other waits.
 */
export function untilIdle<T>(
  promise: PromiseLike<T>,
  error: () => Error,
  { isLast = false }: { readonly isLast?: boolean } = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (waiting.size === 0) process.on("beforeExit", giveUp);
    waiting.set(reject, { error, isLast });
    const over = () => {
      waiting.delete(reject);
      if (waiting.size === 0) process.off("beforeExit", giveUp);
    };
    promise.then(
      (value) => {
        over();
        resolve(value);
      },
      (reason: unknown) => {
        over();
        reject(reason);
      },
    );
  });
}

function giveUp(): void {
  const inner = [...waiting].filter(([, { isLast }]) => !isLast);
  for (const [give, { error }] of inner.length > 0 ? inner : [...waiting]) {
    waiting.delete(give);
    give(error());
  }
}
