// How fast two clocks may diverge, as a share of the time that passes. NTP corrects by half of that.
const drift = 0.001;
// Kernels give files the time of the last timer interrupt.
const tickMs = 10;
// File systems without fractions of a second have a resolution of up to two.
const coarseTickMs = 2000;
const freshForMs = 10_000;

/** A worker's estimate of the file system's clock, from the times of files that it made. */
export interface SharedClock {
  /**
   * Adds the time of a file that was made between `beforeMs` and `afterMs` of this host's clock, which only measures
   * durations.
   */
  add(writtenMs: number, beforeMs: number, afterMs: number): void;
  /** The earliest and the latest time that the file system's clock can have. */
  bounds(nowMs: number): { readonly earliestMs: number; readonly latestMs: number };
  /** Whether the clock was read recently. */
  isFresh(nowMs: number): boolean;
  /**
   * Whether only whole seconds were seen, and the moment of a change is not known: the clock must be read until it
   * changes.
   */
  isImprecise(): boolean;
}

export function openSharedClock(): SharedClock {
  let isCoarse = true;
  /** Offsets of the file system's clock from this host's, at `atMs`. */
  let known: { min: number; max: number; atMs: number } | undefined;
  let last: { writtenMs: number; beforeMs: number } | undefined;
  return {
    add(writtenMs, beforeMs, afterMs) {
      if (writtenMs % 1000 !== 0) isCoarse = false;
      let min = writtenMs - afterMs;
      let max = writtenMs + (isCoarse ? coarseTickMs : tickMs) - beforeMs;
      // When the previous file was made, the clock was still before `writtenMs`.
      if (last !== undefined && writtenMs > last.writtenMs) max = Math.min(max, writtenMs - last.beforeMs);
      if (known !== undefined) {
        const driftMs = (afterMs - known.atMs) * drift;
        const [before, after] = [known.min - driftMs, known.max + driftMs];
        // Otherwise the clock was set in between, and the old bounds are wrong.
        if (before <= max && after >= min) [min, max] = [Math.max(min, before), Math.min(max, after)];
      }
      known = { min, max, atMs: afterMs };
      last = { writtenMs, beforeMs };
    },
    bounds(nowMs) {
      const { min, max, atMs } = known ?? { min: 0, max: 0, atMs: nowMs };
      const driftMs = (nowMs - atMs) * drift;
      return { earliestMs: nowMs + min - driftMs, latestMs: nowMs + max + driftMs };
    },
    isFresh: (nowMs) => known !== undefined && nowMs - known.atMs < freshForMs,
    isImprecise: () => isCoarse && known !== undefined && known.max - known.min > coarseTickMs / 10,
  };
}
