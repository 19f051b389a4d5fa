/** Something that is asked now and then while other things go on. */
export interface Poll {
  /** Begins to ask, if it is time to. What an earlier question has thrown is thrown here. */
  ifDue(): void;
  /** Answers when no question is open. */
  whenIdle(): Promise<void>;
}

const firstMs = 1000;
const growth = 1.25;

/**
 * Asks in the background, less and less often: a scheduler that hangs must not keep its driver from seeing that the run is
 * complete, or is to be left. `ask` answers how long to wait at most before the next question.
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

/** Waits for something, but not longer than so many milliseconds. Answers whether it came. */
export async function within(ms: number, something: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const isInTime = await Promise.race([something.then(() => true), late]);
  clearTimeout(timer);
  return isInTime;
}
