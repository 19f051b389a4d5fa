import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BatchBy } from "../../../../src/contract/work-options.ts";
import { type CostOf, nextBatchLength } from "../../../../src/worker/shard/cut-batches.ts";

interface Cut {
  readonly batchSize?: number;
  readonly batchBy?: BatchBy;
}

/** All batches of some costs, each batch as the costs in it. */
function cut(costs: readonly number[], { batchSize, batchBy }: Cut): number[][] {
  const indices = costs.map((_, i) => i + 100);
  const costOf: CostOf = (idx) => costs[idx - 100]!;
  const batches: number[][] = [];
  for (let at = 0; at < indices.length; ) {
    const length = nextBatchLength(indices, at, { batchSize, batchBy }, costOf);
    batches.push(costs.slice(at, at + length));
    at += length;
  }
  return batches;
}

describe("batches by count", () => {
  it("have batchSize items, the last one fewer", () => {
    expect(cut([1, 2, 3, 4, 5], { batchSize: 2 })).toEqual([[1, 2], [3, 4], [5]]);
  });

  it("never ask for a cost", () => {
    const costOf = () => {
      throw new Error("asked");
    };
    expect(nextBatchLength([0, 1, 2], 0, { batchSize: 2, batchBy: undefined }, costOf)).toBe(2);
  });
});

describe("batches by summed cost", () => {
  it("stay at or below max", () => {
    expect(cut([4, 6, 1, 9, 5, 5, 1], { batchBy: { cost: "sum", max: 10 } })).toEqual([[4, 6], [1, 9], [5, 5], [1]]);
  });

  it("hold an item above max alone", () => {
    expect(cut([1, 20, 1, 30], { batchBy: { cost: "sum", max: 10 } })).toEqual([[1], [20], [1], [30]]);
  });

  it("have batchSize items at most", () => {
    expect(cut([1, 1, 1, 1, 9], { batchSize: 3, batchBy: { cost: "sum", max: 10 } })).toEqual([
      [1, 1, 1],
      [1, 9],
    ]);
  });

  it("take in any number of items that cost nothing", () => {
    expect(cut([0, 0, 0, 0], { batchBy: { cost: "sum", max: 1 } })).toEqual([[0, 0, 0, 0]]);
  });
});

describe("batches by padded cost", () => {
  it("stay at or below max when every item is as long as the longest", () => {
    expect(cut([2, 2, 5, 5, 1], { batchBy: { cost: "padded", max: 10 } })).toEqual([[2, 2], [5, 5], [1]]);
  });

  it("hold an item above max alone", () => {
    expect(cut([11, 1, 1], { batchBy: { cost: "padded", max: 10 } })).toEqual([[11], [1, 1]]);
  });
});

describe("any batches", () => {
  const costsOf = fc.array(fc.nat(20), { maxLength: 60 });
  const kinds = fc.constantFrom("sum" as const, "padded" as const);
  const priceOf = (kind: BatchBy["cost"], batch: readonly number[]) =>
    kind === "sum" ? batch.reduce((sum, cost) => sum + cost, 0) : Math.max(...batch) * batch.length;

  it("hold every item once, in order, within max, and could not hold the next one", () => {
    fc.assert(
      fc.property(costsOf, kinds, fc.integer({ min: 1, max: 50 }), (costs, cost, max) => {
        const batches = cut(costs, { batchBy: { cost, max } });
        expect(batches.flat()).toEqual(costs);
        for (const [i, batch] of batches.entries()) {
          if (batch.length > 1) expect(priceOf(cost, batch)).toBeLessThanOrEqual(max);
          const next = batches[i + 1]?.[0];
          if (next !== undefined) expect(priceOf(cost, [...batch, next])).toBeGreaterThan(max);
        }
      }),
    );
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, undefined, "3"])(
    "are refused for the cost %s, with its item",
    (cost) => {
      const options = { batchSize: undefined, batchBy: { cost: "sum", max: 10 } } as const;
      const act = () => nextBatchLength([7, 8], 0, options, (idx) => (idx === 8 ? (cost as number) : 1));
      expect(act).toThrow(expect.objectContaining({ code: "BAD_RUNNER" }));
      expect(act).toThrow(`itemCost(8) returned ${cost}; a number from 0 was expected`);
    },
  );
});
