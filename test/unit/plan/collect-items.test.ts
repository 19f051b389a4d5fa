import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collectItems, type Items } from "../../../src/plan/collect-items.ts";
import { readItems } from "../../../src/plan/item-list.ts";
import { range } from "../../../src/plan/range.ts";

// No three squares in a row are evenly spaced, so that every two of them are a segment.
const squares = (count: number) => Array.from({ length: count }, (_, i) => i * i);
const above32Bits = 2 ** 32;

const runs = fc
  .array(fc.tuple(fc.nat(2 ** 33), fc.nat(50), fc.integer({ min: 1, max: 20 })), { maxLength: 20 })
  .map((parts) => parts.flatMap(([start, step, count]) => [...range(start, start + count * (step + 1), step + 1)]));
const irregular = fc
  .tuple(fc.integer({ min: 4001, max: 5000 }), fc.constantFrom(0, above32Bits))
  .map(([count, offset]) => squares(count).map((square) => square + offset));
const sequences = fc.oneof(
  { weight: 5, arbitrary: fc.array(fc.nat(2 ** 40)) },
  { weight: 5, arbitrary: fc.array(fc.nat(3)) },
  { weight: 5, arbitrary: runs },
  { weight: 1, arbitrary: irregular },
);

async function* later(items: readonly number[]): AsyncGenerator<number> {
  for (const item of items) yield item;
}

describe("collectItems", () => {
  it("keeps ten million items of a range as one segment", async () => {
    const items = await collectItems(range(10_000_000));
    expect(items).toEqual({ kind: "segments", count: 10_000_000, segments: [[0, 1, 10_000_000]] });
  });

  it("keeps an array of even pieces as segments", async () => {
    const items = await collectItems([0, 1, 2, 3, 10, 8, 6, 5, 5, 5]);
    expect(items).toMatchObject({
      count: 10,
      segments: [
        [0, 1, 4],
        [10, -2, 3],
        [5, 0, 3],
      ],
    });
  });

  it("keeps 2000 segments as segments", async () => {
    expect(await collectItems(squares(4000))).toMatchObject({ kind: "segments", count: 4000 });
  });

  it("keeps more than 2000 segments as one flat list of 32-bit integers", async () => {
    const items = await collectItems(squares(4001));
    expect(items).toEqual({ kind: "list", count: 4001, indices: Uint32Array.from(squares(4001)) });
  });

  it("keeps a list that reaches above 32 bits as doubles, exactly", async () => {
    const indices = [...squares(5000), above32Bits - 1, above32Bits, Number.MAX_SAFE_INTEGER];
    expect(await collectItems(indices)).toEqual({ kind: "list", count: 5003, indices: Float64Array.from(indices) });
  });

  it("grows a list beyond the room it began with", async () => {
    const indices = squares(90_000);
    const items = await collectItems(indices);
    expect(readItems(items, 0, items.count)).toEqual(indices);
  });

  it("gives the same list for the same sequence, however it is passed on", async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        const fromArray = await collectItems(sequence);
        expect(await collectItems(sequence.values())).toEqual(fromArray);
        expect(await collectItems(later(sequence))).toEqual(fromArray);
      }),
    );
  });

  it("gives the same list for a range and for the array of its indices", async () => {
    const ends = fc.nat(300);
    const steps = fc.integer({ min: -7, max: 7 }).filter((step) => step !== 0);
    await fc.assert(
      fc.asyncProperty(ends, ends, steps, async (start, stop, step) => {
        const indices = range(start, stop, step);
        expect(await collectItems(indices)).toEqual(await collectItems([...indices]));
      }),
    );
  });

  it.each<[string, unknown, RegExp]>([
    ["a number", 5, /got 5; .*\n.*run\(range\(5\)\)/],
    ["a string", "012", /got "012"/],
    ["nothing", undefined, /got undefined/],
    ["an object", {}, /got an object/],
    ["a fraction in a list", [0, 0.5], /Item 1 of the list is 0.5/],
    ["a negative index in a list", [3, -1], /Item 1 of the list is -1/],
    ["an id in a list", ["utt-1"], /Item 0 of the list is "utt-1"/],
    ["an index that is no safe integer", [2 ** 53], /Item 0 of the list/],
    ["a range that begins below 0", range(-2, 3), /Item 0 of the list is -2/],
    ["a range that ends below 0", range(3, -2, -1), /Item 4 of the list is -1/],
  ])("refuses %s", async (_name, items, message) => {
    await expect(collectItems(items as Items)).rejects.toThrow(message);
  });
});

describe("readItems", () => {
  it("gives any part of the sequence back", async () => {
    await fc.assert(
      fc.asyncProperty(sequences, fc.nat(), fc.nat(), async (sequence, a, b) => {
        const items = await collectItems(sequence);
        const [one, two] = [a % (sequence.length + 1), b % (sequence.length + 1)];
        const [from, to] = [Math.min(one, two), Math.max(one, two)];
        expect(items.count).toBe(sequence.length);
        expect(readItems(items, from, to)).toEqual(sequence.slice(from, to));
      }),
    );
  });

  it("gives the whole sequence back", async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        expect(readItems(await collectItems(sequence), 0, sequence.length)).toEqual(sequence);
      }),
    );
  });
});
