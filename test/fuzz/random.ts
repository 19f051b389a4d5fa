import { seededRandom } from "../support/seeded-random.ts";

/** The choices of one case: the same for the same seed and case, whatever ran before. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number, number: number) {
    this.#next = seededRandom(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  }

  /** An integer from 0 up to, not including, the limit. */
  below(limit: number): number {
    return Math.floor(this.#next() * limit);
  }

  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)]!;
  }

  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  /** A length up to the limit, mostly short. */
  length(limit: number): number {
    return Math.min(limit, 1 + this.below(this.pick([4, 16, 64, 1024])));
  }
}
