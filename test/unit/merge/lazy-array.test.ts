import { inspect, isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { lazyArray } from "../../../src/merge/lazy-array.ts";

/** A lazy array and how often its elements were asked for. */
function counted<T>(elements: readonly T[]): { lazy: T[]; reads: () => number } {
  let reads = 0;
  const lazy = lazyArray(elements.length, () => {
    reads++;
    return elements;
  });
  return { lazy, reads: () => reads };
}

describe("a lazy array that was not read yet", () => {
  it("is not read by await", async () => {
    const { lazy, reads } = counted([1, 2]);
    expect(await Promise.resolve(lazy)).toBe(lazy);
    expect(reads()).toBe(0);
  });

  it("is not read by length", () => {
    const { lazy, reads } = counted([1, 2]);
    expect(lazy.length).toBe(2);
    expect(reads()).toBe(0);
  });

  it("is not read by Array.isArray", () => {
    const { lazy, reads } = counted([1, 2]);
    expect(Array.isArray(lazy)).toBe(true);
    expect(reads()).toBe(0);
  });
});

describe("a lazy array that is read", () => {
  it("is read once, however often it is looked at", () => {
    const { lazy, reads } = counted([1, 2]);
    expect([lazy[0], lazy.at(-1), ...lazy]).toEqual([1, 2, 1, 2]);
    expect(reads()).toBe(1);
  });

  const looks: [string, (lazy: number[]) => unknown, unknown][] = [
    ["spread", (lazy) => [...lazy], [3, 1, 2]],
    ["an index", (lazy) => lazy[1], 1],
    ["an index behind its end", (lazy) => lazy[3], undefined],
    ["map", (lazy) => lazy.map((value) => value * 2), [6, 2, 4]],
    ["destructuring", ([first, ...rest]) => [first, rest], [3, [1, 2]]],
    ["in", (lazy) => [2 in lazy, 3 in lazy], [true, false]],
    ["Object.keys", (lazy) => Object.keys(lazy), ["0", "1", "2"]],
    ["JSON.stringify", (lazy) => JSON.stringify(lazy), "[3,1,2]"],
    ["concat", (lazy) => [0].concat(lazy), [0, 3, 1, 2]],
    ["Array.from", (lazy) => Array.from(lazy), [3, 1, 2]],
    ["forEach by its prototype", (lazy) => Array.prototype.slice.call(lazy, 1), [1, 2]],
    ["util.inspect", (lazy) => inspect(lazy), "[ 3, 1, 2 ]"],
    ["util.inspect of what holds it", (lazy) => inspect({ lazy }), "{ lazy: [ 3, 1, 2 ] }"],
    ["util.inspect a second time", (lazy) => [inspect(lazy), inspect(lazy)][1], "[ 3, 1, 2 ]"],
    ["a deep comparison", (lazy) => isDeepStrictEqual(lazy, [3, 1, 2]), true],
    ["sort", (lazy) => lazy.sort(), [1, 2, 3]],
    ["push", (lazy) => [lazy.push(9), lazy.length, lazy[3]], [4, 4, 9]],
    ["an assignment", (lazy) => Object.assign(lazy, { 0: 7 }), [7, 1, 2]],
    ["splice", (lazy) => [lazy.splice(0, 2), lazy.length], [[3, 1], 1]],
    ["a shorter length", (lazy) => [Reflect.set(lazy, "length", 1), [...lazy]], [true, [3]]],
    ["defineProperty", (lazy) => [...Object.defineProperty(lazy, 0, { value: 8 })], [8, 1, 2]],
  ];
  it.each(looks)("behaves as an array to %s", (_name, look, expected) => {
    expect(look(counted([3, 1, 2]).lazy)).toEqual(expected);
  });

  it("may be empty", () => {
    expect([...counted([]).lazy]).toEqual([]);
  });

  it("passes on the error of its reader", () => {
    const lazy = lazyArray<number>(2, () => {
      throw new Error("line 2 is not JSON");
    });
    expect(() => lazy[0]).toThrow("line 2 is not JSON");
  });

  it("does not pass for whole after reading it has failed once", () => {
    const lazy = lazyArray<number>(2, function* () {
      yield 1;
      throw new Error("line 2 is not JSON");
    });
    expect(() => lazy[0]).toThrow("line 2 is not JSON");
    expect(() => [...lazy]).toThrow("line 2 is not JSON");
  });

  it("behaves as an array to Object.freeze", () => {
    expect(Object.freeze(counted([1]).lazy)).toEqual([1]);
  });
});
