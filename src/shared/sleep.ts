/** Resolves after `ms` milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const sliceMs = 10;

/** Sleeps, but wakes soon after there is a reason to. */
export async function sleepUnless(ms: number, isOver: () => boolean): Promise<void> {
  for (let left = ms; left > 0 && !isOver(); left -= sliceMs) await sleep(Math.min(left, sliceMs));
}
