/** A sample of a sequence of unknown length, evenly spread and deterministic. */
export interface Sample<T> {
  readonly taken: readonly T[];
  add(value: T): void;
}

// All pairs of this many are some million scores, which take a second or two.
const max = 2500;

/** Keeps every value, and above the limit every second, fourth, … of them: enough for a report. */
export function sampleOf<T>(limit: number = max): Sample<T> {
  let taken: T[] = [];
  let step = 1;
  let seen = 0;
  return {
    get taken() {
      return taken;
    },
    add(value) {
      if (seen++ % step !== 0) return;
      if (taken.length === limit) {
        taken = taken.filter((_, i) => i % 2 === 0);
        step *= 2;
        if ((seen - 1) % step !== 0) return;
      }
      taken.push(value);
    },
  };
}
