import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isIndexRange, range } from "../../../src/plan/range.ts";

type Arguments = [start: number, stop: number, step?: number];

/** Python's `range`, counted the slow way. */
function counted(start: number, stop: number, step: number): number[] {
  const indices: number[] = [];
  for (let i = start; step > 0 ? i < stop : i > stop; i += step) indices.push(i);
  return indices;
}

describe("range", () => {
  it("counts from 0 with a stop alone", () => {
    expect([...range(4)]).toEqual([0, 1, 2, 3]);
  });

  it.each<[Arguments, number[]]>([
    [
      [2, 5],
      [2, 3, 4],
    ],
    [
      [0, 10, 3],
      [0, 3, 6, 9],
    ],
    [
      [0, 9, 3],
      [0, 3, 6],
    ],
    [
      [5, 0, -2],
      [5, 3, 1],
    ],
    [
      [4, -1, -2],
      [4, 2, 0],
    ],
    [[5, 5], []],
    [[5, 2], []],
    [[2, 5, -1], []],
  ])("counts %j as Python does", (args, expected) => {
    expect([...range(...args)]).toEqual(expected);
  });

  it("counts every start, stop and step as Python does", () => {
    const ends = fc.integer({ min: -200, max: 200 });
    const steps = fc.integer({ min: -9, max: 9 }).filter((step) => step !== 0);
    fc.assert(
      fc.property(ends, ends, steps, (start, stop, step) => {
        const indices = range(start, stop, step);
        expect([...indices]).toEqual(counted(start, stop, step));
        expect(indices.length).toBe([...indices].length);
      }),
    );
  });

  it("can be iterated more than once", () => {
    const indices = range(3);
    expect([...indices, ...indices]).toEqual([0, 1, 2, 0, 1, 2]);
  });

  it("is counted, not stored", () => {
    expect(range(Number.MAX_SAFE_INTEGER)).toMatchObject({ start: 0, step: 1, length: Number.MAX_SAFE_INTEGER });
  });

  it("cannot be changed", () => {
    expect(Object.isFrozen(range(3))).toBe(true);
  });

  it.each<[Arguments, RegExp]>([
    [[0, 1.5], /stop is 1.5; a whole number/],
    [[Number.NaN, 3], /start is NaN/],
    [[0, Number.POSITIVE_INFINITY], /stop is Infinity/],
    [[0, 3, 0.5], /step is 0.5/],
    [["1" as unknown as number, 3], /start is "1"/],
  ])("refuses %j and names the argument", (args, message) => {
    expect(() => range(...args)).toThrow(message);
  });

  it("refuses a step of 0", () => {
    expect(() => range(0, 3, 0)).toThrow(/step is 0/);
  });

  it("differs from an object that only looks like it", () => {
    expect(isIndexRange(range(3))).toBe(true);
    expect(isIndexRange({ start: 0, step: 1, length: 3 })).toBe(false);
  });
});
