import { describe, expect, it } from "vitest";
import { checkRateLimit } from "../../../../src/run-folder/rate/rate-limit.ts";
import { largestBurst, RateWorld } from "../../../support/rate-world.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

// Times near 1.8e12 ms have a resolution of 0.0002 ms.
const rounding = 0.01;

describe("the rate limit of a run", () => {
  it.each([
    [1, 50, 64, 200],
    [2, 50, 64, 200],
    [4, 50, 8, 20],
    [2, 1000, 200, 100],
    [3, 2.5, 16, 100],
    [1, 0.2, 2, 100],
    [8, 20, 4, 30],
  ])(
    "%i workers with work enough reach 95 %% of %d a second, and never more",
    async (workers, perSecond, concurrency, callMs) => {
      const limit = checkRateLimit({ perSecond });
      const world = new RateWorld({ random: seededRandom(workers) });
      for (let i = 0; i < workers; i++)
        world.addWorker({ limit, concurrency, callMs: () => callMs, skewMs: i * 77_777 });
      const seconds = Math.max(20, 20 / perSecond);
      await world.run(seconds * 1000);
      expect(largestBurst(world.begun, perSecond)).toBeLessThanOrEqual(limit.burst + rounding);
      expect(world.begun.length).toBeGreaterThanOrEqual(0.95 * seconds * perSecond - 1);
    },
  );
});
