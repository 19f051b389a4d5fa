import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openRateBuckets, type WorkSpan } from "../../../src/dashboard/view/rate-buckets.ts";

const start = 1_700_000_000_000;

describe("items per second over time", () => {
  it("spreads what an attempt did over the time it took", () => {
    const rates = openRateBuckets();
    rates.add({ began: start, ended: start + 4000, items: 40 });
    const points = rates.points(start + 100_000).filter(({ itemsPerSecond }) => itemsPerSecond > 0);
    expect(points.map(({ itemsPerSecond }) => Math.round(itemsPerSecond))).toEqual([10, 10, 10, 10]);
  });

  it("adds work that continues without keeping it", () => {
    const rates = openRateBuckets();
    const running = [{ began: start, ended: start + 2000, items: 20 }];
    expect(rates.points(start + 2000, running).length).toBeGreaterThan(0);
    expect(rates.points(start + 2000)).toEqual([]);
  });

  it("takes the last moments for what they are: a part of a bucket", () => {
    const rates = openRateBuckets();
    rates.add({ began: start, ended: start + 500, items: 50 });
    expect(rates.points(start + 500)[0]!.itemsPerSecond).toBeCloseTo(100);
  });

  it("has at most 600 points and loses no item, in whatever order attempts are added", () => {
    const span = fc
      .record({ at: fc.integer({ min: 0, max: 1e9 }), ms: fc.integer({ min: 0, max: 1e7 }), items: fc.nat(1000) })
      .map(({ at, ms, items }): WorkSpan => ({ began: start + at, ended: start + at + ms, items }));
    fc.assert(
      fc.property(fc.array(span, { maxLength: 40 }), (spans) => {
        const rates = openRateBuckets();
        for (const one of spans) rates.add(one);
        const points = rates.points(start + 1e12);
        expect(points.length).toBeLessThanOrEqual(600);
        const widthMs = points.length > 1 ? points[1]!.at - points[0]!.at : 1000;
        const sum = points.reduce((all, { itemsPerSecond }) => all + (itemsPerSecond * widthMs) / 1000, 0);
        const items = spans.reduce((all, one) => all + one.items, 0);
        if (points.length > 1) expect(Math.abs(sum - items)).toBeLessThan(1e-3 * Math.max(1, items));
      }),
    );
  });

  it("ignores what cannot be", () => {
    const rates = openRateBuckets();
    rates.add({ began: start, ended: start - 1, items: 5 });
    rates.add({ began: start, ended: start + 1, items: 0 });
    rates.add({ began: Number.NaN, ended: start, items: 5 });
    expect(rates.points(start)).toEqual([]);
  });
});
