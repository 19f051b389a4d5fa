import { describe, expect, it } from "vitest";
import { timeTicks, valueTicks } from "../../../web/dashboard/layout/time-axis.ts";

const nine = new Date(2026, 10, 16, 9, 0, 0).getTime();

describe("timeTicks", () => {
  it("are at round times, no more than asked for", () => {
    expect(timeTicks(nine + 1000, nine + 3_600_000, 5).map(({ label }) => label)).toEqual([
      "09:15",
      "09:30",
      "09:45",
      "10:00",
    ]);
  });

  it("have seconds where minutes are too coarse, and days where hours are too fine", () => {
    expect(timeTicks(nine, nine + 10_000, 4).map(({ label }) => label)).toEqual(["09:00:00", "09:00:05", "09:00:10"]);
    expect(timeTicks(nine, nine + 3 * 86_400_000, 3)[0]!.label).toBe("2026-11-17");
  });

  it("end, however long the time and however narrow the axis", () => {
    expect(timeTicks(0, 4e12, 0.5).length).toBeLessThan(200);
  });
});

describe("valueTicks", () => {
  it.each([
    [0, [0, 1]],
    [Number.NaN, [0, 1]],
    [7, [0, 2, 4, 6, 8]],
    [160, [0, 50, 100, 150, 200]],
    [100, [0, 25, 50, 75, 100]],
    [0.03, [0, 0.01, 0.02, 0.03]],
  ])("reach %d in round steps", (largest, ticks) => {
    const made = valueTicks(largest);
    expect(made).toHaveLength(ticks.length);
    for (const [i, tick] of ticks.entries()) expect(made[i]).toBeCloseTo(tick);
  });
});
