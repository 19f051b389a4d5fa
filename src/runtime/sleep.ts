/** Resolves after `ms` milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const maxSliceMs = 10;

/** Sleeps until `isOver` or the time is over. Checks within a millisecond at first, because most waits are short. */
export async function sleepUnless(ms: number, isOver: () => boolean): Promise<void> {
  for (let slept = 0; slept < ms && !isOver(); ) {
    const sliceMs = Math.min(ms - slept, maxSliceMs, Math.max(1, Math.ceil(slept / 8)));
    await sleep(sliceMs);
    slept += sliceMs;
  }
}
