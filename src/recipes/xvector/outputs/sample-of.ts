/** A part of a sequence of unknown length, spread evenly over it and the same every time. */
export interface Sample<T> {
  readonly taken: readonly T[];
  add(value: T): void;
}

// All pairs of so many are some million scores, which take a second or two.
const most = 2500;

/** Takes every value, and from `most` on every second, every fourth, … of them: a report needs no more. */
export function sampleOf<T>(limit: number = most): Sample<T> {
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
