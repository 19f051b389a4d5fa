/** A call that is repeated in the background. */
export interface Poll {
  /** Starts the call if it is due. Throws the error of an earlier call. */
  ifDue(): void;
  /** Resolves when no call is running. */
  whenIdle(): Promise<void>;
}

const firstMs = 1000;
const growth = 1.25;

/**
 * Calls `ask` in the background, less and less often, so that the driver notices the end of the run even if a scheduler
 * hangs. `ask` returns the maximum wait before the next call.
 */
export function pollWith(ask: () => Promise<number>): Poll {
  let asking: Promise<void> | undefined;
  let failure: { readonly error: unknown } | undefined;
  let waitMs = firstMs;
  let nextMs = performance.now() + firstMs;
  return {
    ifDue() {
      if (failure !== undefined) throw failure.error;
      if (asking !== undefined || performance.now() < nextMs) return;
      asking = (async () => {
        try {
          waitMs = Math.min(await ask(), waitMs * growth);
        } catch (error) {
          failure = { error };
        }
        nextMs = performance.now() + waitMs;
        asking = undefined;
      })();
    },
    whenIdle: async () => asking,
  };
}

/** Waits for a promise, but at most `ms` milliseconds. Returns whether it resolved in time. */
export async function within(ms: number, something: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const isInTime = await Promise.race([something.then(() => true), late]);
  clearTimeout(timer);
  return isInTime;
}
