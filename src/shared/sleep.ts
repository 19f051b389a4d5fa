/** Resolves after `ms` milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const longestSliceMs = 10;

/** Sleeps, but wakes soon after there is a reason to: at first within a millisecond, for most waits are short. */
export async function sleepUnless(ms: number, isOver: () => boolean): Promise<void> {
  for (let slept = 0; slept < ms && !isOver(); ) {
    const sliceMs = Math.min(ms - slept, longestSliceMs, Math.max(1, Math.ceil(slept / 8)));
    await sleep(sliceMs);
    slept += sliceMs;
  }
}
