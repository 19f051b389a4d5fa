import { MillraceError } from "../errors/errors.ts";
import { describeKind } from "../values/state-json.ts";

/** Evenly spaced indices that are computed, not stored: `range(10_000_000)` costs nothing. */
export interface IndexRange extends Iterable<number> {
  readonly start: number;
  readonly step: number;
  readonly length: number;
}

// Recognised by a symbol and not by its class, because two copies of the package in one program have two classes.
const mark: unique symbol = Symbol.for("millrace.range");

class Range implements IndexRange {
  readonly start: number;
  readonly step: number;
  readonly length: number;

  constructor(start: number, step: number, length: number) {
    this.start = start;
    this.step = step;
    this.length = length;
    Object.freeze(this);
  }

  get [mark](): true {
    return true;
  }

  *[Symbol.iterator](): Iterator<number> {
    for (let i = 0; i < this.length; i++) yield this.start + i * this.step;
  }
}

/**
 * Indices like those of Python's `range`: `range(stop)`, `range(start, stop)`, `range(start, stop, step)`. The step may
 * be negative. The stop is excluded.
 */
export function range(stop: number): IndexRange;
export function range(start: number, stop: number, step?: number): IndexRange;
export function range(first: number, second?: number, step = 1): IndexRange {
  const start = second === undefined ? 0 : first;
  const stop = second ?? first;
  for (const [name, value] of Object.entries({ start, stop, step })) {
    if (!Number.isSafeInteger(value)) {
      throw new MillraceError("BAD_ITEMS", `range: ${name} is ${describeKind(value)}; a whole number was expected.`, {
        hint: "Pass the number of items, range(dataset.length), or start and stop.",
      });
    }
  }
  if (step === 0)
    throw new MillraceError("BAD_ITEMS", "range: step is 0, which never reaches the stop.", {
      hint: "Leave the step out, or give a whole number that leads from start to stop.",
    });
  return new Range(start, step, Math.max(0, Math.ceil((stop - start) / step)));
}

/** Whether a value was made by {@link range}. */
export function isIndexRange(value: unknown): value is IndexRange {
  return typeof value === "object" && value !== null && mark in value;
}
