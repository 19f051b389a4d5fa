import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkpointInterval } from "../../../../src/worker/shard/checkpoint-interval.ts";

const intervalOf = (costMs: number, workedMs: number, optionMs = 30) =>
  checkpointInterval({ optionMs, costMs, workedMs }).intervalMs;

describe("the time between checkpoints", () => {
  it.each([
    ["the option where they cost next to nothing", 0.1, 10_000, 30],
    ["a hundred times what they cost, where that is below the bound", 20, 10_000, 2000],
    ["five seconds at most, where they cost more", 500, 10_000, 5000],
    ["a hundredth of the work where that is more than five seconds", 500, 1_800_000, 18_000],
    ["a hundred times what they cost, also within a long bound", 100, 1_800_000, 10_000],
    ["five times what they cost, where that is beyond the bound", 4000, 10_000, 20_000],
  ])("is %s", (_what, costMs, workedMs, expected) => {
    expect(intervalOf(costMs, workedMs)).toBe(expected);
  });

  it("is the option where that is longer than the bound: it was chosen", () => {
    expect(checkpointInterval({ optionMs: 60_000, costMs: 1, workedMs: 0 })).toEqual({
      intervalMs: 60_000,
      boundMs: 60_000,
    });
  });

  it("is below the bound unless checkpoints would take more than a fifth of the time", () => {
    const ms = fc.double({ min: 0, max: 1e7, noNaN: true });
    fc.assert(
      fc.property(ms, ms, ms, (optionMs, costMs, workedMs) => {
        const { intervalMs, boundMs } = checkpointInterval({ optionMs, costMs, workedMs });
        expect(intervalMs).toBeGreaterThanOrEqual(optionMs);
        expect(intervalMs).toBeGreaterThanOrEqual(costMs * 5);
        expect(boundMs).toBeGreaterThanOrEqual(5000);
        if (intervalMs > boundMs) expect(intervalMs).toBe(costMs * 5);
      }),
    );
  });
});
