import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkRateLimit } from "../../../../src/run-folder/rate/rate-limit.ts";
import { gridOf, slotWithTimes, spreadOrder, timesIn } from "../../../../src/run-folder/rate/token-grid.ts";

describe("checkRateLimit", () => {
  it("adds the defaults", () => {
    expect(checkRateLimit({ perSecond: 50 })).toEqual({ perSecond: 50, burst: 6, adaptive: false });
    expect(checkRateLimit({ perSecond: 0.5, burst: 1, adaptive: true })).toEqual({
      perSecond: 0.5,
      burst: 1,
      adaptive: true,
    });
  });

  it.each([
    [50, "Option rateLimit is 50; an object with perSecond was expected."],
    [null, "Option rateLimit is null"],
    [{}, "Option rateLimit.perSecond is undefined; a number above 0 and at most 100000 was expected."],
    [{ perSecond: 0 }, "Option rateLimit.perSecond is 0"],
    [{ perSecond: Number.NaN }, "Option rateLimit.perSecond is NaN"],
    [{ perSecond: "50" }, 'Option rateLimit.perSecond is "50"'],
    [{ perSecond: 1e6 }, "Option rateLimit.perSecond is 1000000"],
    [{ perSecond: 1, burst: 0.5 }, "Option rateLimit.burst is 0.5; a number from 1 was expected."],
    [{ perSecond: 1, adaptive: 1 }, "Option rateLimit.adaptive is 1; true or false was expected."],
    [
      { perSecond: 1, perMinute: 9 },
      "Option rateLimit.perMinute is 9; only perSecond, burst and adaptive was expected.",
    ],
  ])("refuses %j", (given, message) => {
    expect(() => checkRateLimit(given)).toThrow(message);
  });
});

describe("the tokens of a slot", () => {
  const grids = fc.record({
    perSecond: fc.double({ min: 0.05, max: 2000, noNaN: true }),
    factor: fc.double({ min: 0.01, max: 1, noNaN: true }),
    slot: fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }),
  });

  it("are never closer together than the limit says, over slots and slower grids", () => {
    fc.assert(
      fc.property(grids, ({ perSecond, factor, slot }) => {
        const full = gridOf(checkRateLimit({ perSecond }));
        const times = [...timesIn(slot, full), ...timesIn(slot + 1, { ...full, factor }), ...timesIn(slot + 2, full)];
        const isClose = times.some((time, i) => i > 0 && time - times[i - 1]! < full.spacingMs - 0.01);
        expect(isClose).toBe(false);
        const slower = Math.floor(factor * (1000 / full.spacingMs));
        expect(timesIn(slot, { ...full, factor }).length).toBeGreaterThanOrEqual(slower - 1);
      }),
    );
  });

  it("are in the first slot that has any", () => {
    fc.assert(
      fc.property(grids, ({ perSecond, factor, slot }) => {
        const grid = { ...gridOf(checkRateLimit({ perSecond })), factor };
        const found = slotWithTimes(slot, grid);
        expect(timesIn(found, grid).length).toBeGreaterThan(0);
        for (let before = slot; before < Math.min(found, slot + 50); before++)
          expect(timesIn(before, grid)).toEqual([]);
      }),
    );
  });

  it.each([0, 1, 2, 3, 50, 64, 1000])("%i of them are handed out in an order that has each once", (count) => {
    expect([...spreadOrder(count)].sort((one, two) => one - two)).toEqual(Array.from({ length: count }, (_, i) => i));
  });

  it("are spread over the slot, whichever part of them a worker gets", () => {
    const order = spreadOrder(48);
    for (let from = 0; from + 12 <= 48; from += 12) {
      const part = order.slice(from, from + 12).sort((one, two) => one - two);
      for (let i = 1; i < part.length; i++) expect(part[i]! - part[i - 1]!).toBeLessThanOrEqual(12);
    }
  });
});
