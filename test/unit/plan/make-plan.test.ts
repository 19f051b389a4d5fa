import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ItemList } from "../../../src/plan/item-list.ts";
import { type CutOptions, makePlan } from "../../../src/plan/make-plan.ts";
import { type Shard, shardOf } from "../../../src/plan/plan.ts";

const itemsOf = (count: number): ItemList => ({
  kind: "segments",
  count,
  segments: count === 0 ? [] : [[0, 1, count]],
});

interface Cut extends CutOptions {
  readonly count: number;
  readonly batchSize: number;
}

const cuts: fc.Arbitrary<Cut> = fc.record({
  count: fc.oneof(fc.nat(50), fc.nat(2000), fc.nat(100_000)),
  batchSize: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 300 })),
  shards: fc.option(fc.integer({ min: 1, max: 400 }), { nil: undefined }),
  workers: fc.integer({ min: 1, max: 64 }),
});

function shardsOf({ count, ...options }: Cut): Shard[] {
  const plan = makePlan(itemsOf(count), options);
  return Array.from({ length: plan.shardCount }, (_, id) => shardOf(plan, id));
}

function always(check: (cut: Cut, shards: Shard[]) => void): void {
  fc.assert(
    fc.property(cuts, (cut) => check(cut, shardsOf(cut))),
    { numRuns: 500 },
  );
}

describe("makePlan", () => {
  it("covers all positions once, shard after shard", () => {
    always(({ count }, shards) => {
      let end = 0;
      for (const { from, to } of shards) {
        expect(from).toBe(end);
        expect(to).toBeGreaterThan(from);
        end = to;
      }
      expect(end).toBe(count);
    });
  });

  it("lets shards end at multiples of the batch size, but for the last end", () => {
    always(({ batchSize }, shards) => {
      expect(shards.slice(0, -1).filter(({ to }) => to % batchSize !== 0)).toEqual([]);
    });
  });

  const batchesIn = (shards: readonly Shard[], batchSize: number) =>
    shards.map(({ from, to }) => Math.ceil((to - from) / batchSize));

  it("makes shards of equal length where their number was asked for: they differ by one batch at most", () => {
    always(({ batchSize, shards: wanted }, shards) => {
      if (wanted === undefined) return;
      const batches = batchesIn(shards, batchSize);
      expect(Math.max(0, ...batches) - Math.min(...batches, batches[0] ?? 0)).toBeLessThanOrEqual(1);
    });
  });

  it("makes the first ones twice as long as the average at most, by default, and none longer than those before", () => {
    always(({ count, batchSize, shards: wanted }, shards) => {
      if (wanted !== undefined || shards.length === 0) return;
      const batches = batchesIn(shards, batchSize);
      const average = Math.ceil(count / batchSize) / shards.length;
      expect(Math.max(...batches)).toBeLessThanOrEqual(Math.ceil(2 * average) + 1);
      for (const [i, own] of batches.entries()) expect(own).toBeLessThanOrEqual((batches[i - 1] ?? own) + 1);
    });
  });

  it("makes the last shards so short that no worker waits long", () => {
    const shards = shardsOf({ count: 10_240, batchSize: 1, workers: 8 });
    const lengths = shards.map(({ from, to }) => to - from);
    expect(lengths.slice(0, 48)).toEqual(Array.from({ length: 48 }, () => 160));
    expect(lengths.slice(-32)).toEqual(Array.from({ length: 32 }, () => 10));
  });

  it("makes shards of equal length of items that are quick", () => {
    const lengths = shardsOf({ count: 1_280_000, batchSize: 10, workers: 2 }).map(({ from, to }) => to - from);
    expect(new Set(lengths)).toEqual(new Set([10_000]));
  });

  it("makes as many shards as were asked for, but never more than there are batches", () => {
    always(({ count, batchSize, shards: wanted, workers }, shards) => {
      const batches = Math.ceil(count / batchSize);
      const enough = Math.max(128, 16 * workers);
      expect(shards.length).toBe(Math.min(wanted ?? (batches <= 2 * enough ? batches : enough), batches));
    });
  });

  it.each([
    [1, 128],
    [8, 128],
    [9, 144],
    [200, 3200],
  ])("makes, for %i workers, %i shards by default", (workers, shardCount) => {
    expect(makePlan(itemsOf(1_000_000), { workers }).shardCount).toBe(shardCount);
  });

  it("puts all items into one shard where they are fewer than a batch", () => {
    expect(shardsOf({ count: 7, batchSize: 20, workers: 4 })).toEqual([{ id: 0, from: 0, to: 7 }]);
  });

  it("has no shards for no items", () => {
    expect(makePlan(itemsOf(0), { workers: 4 }).shardCount).toBe(0);
  });

  it("keeps the plan of ten million items in a few numbers", () => {
    const plan = makePlan(itemsOf(10_000_000), { workers: 1000, batchSize: 7 });
    expect(plan.shardCount).toBe(16_000);
    expect(JSON.stringify(plan).length).toBeLessThan(500);
  });
});

describe("shardOf", () => {
  it("refuses a shard outside the plan", () => {
    const plan = makePlan(itemsOf(10), { workers: 1, shards: 2 });
    expect(() => shardOf(plan, 2)).toThrow(/outside the plan of 2 shards/);
  });
});
