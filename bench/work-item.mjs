// The work per item on every side of the worker benchmarks. It imports nothing, so that a hand-written child starts
// fast.

export const workers = 2;

/** Milliseconds since 1970, comparable between processes. */
export const clock = () => performance.timeOrigin + performance.now();

/** Keeps a core busy with the same work each time: about `ms` milliseconds on a quiet machine. */
export function burn(ms, loopsPerMs) {
  let x = 1;
  for (let i = 0; i < ms * loopsPerMs; i++) x = (x * 1_103_515_245 + 12_345) % 2_147_483_648;
  return x;
}

/** The number of loop iterations per millisecond on this machine. */
export function calibrate() {
  burn(100, 10_000);
  let best = 0;
  for (let i = 0; i < 7; i++) {
    const began = performance.now();
    burn(10, 50_000);
    best = Math.max(best, 500_000 / (performance.now() - began));
  }
  return Math.round(best);
}

/** The work for one item: heavy items take `heavyTimes` as long. */
export function workItem(idx, { itemMs, loopsPerMs, heavyFrom = -1, heavyCount = 0, heavyTimes = 1 }) {
  if (itemMs === 0) return { idx, value: idx * 2 };
  const began = clock();
  const isHeavy = idx >= heavyFrom && idx < heavyFrom + heavyCount;
  burn(isHeavy ? itemMs * heavyTimes : itemMs, loopsPerMs);
  return { idx, began, ended: clock() };
}
