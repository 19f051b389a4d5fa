import { describe, expect, it } from "vitest";
import type { AttemptEnd } from "../../../../src/run-folder/history/attempt-notes.ts";
import { judgeCrashes } from "../../../../src/worker/shard/crash-history.ts";
import { chanceOf, compareOutsideEnds } from "../../../../src/worker/shard/outside-ends.ts";
import { seededRandom } from "../../../support/seeded-random.ts";

const seed = Number(process.env["MILLRACE_SEED"] ?? Date.now() % 1_000_000);
const rounds = Number(process.env["MILLRACE_KILL_ROUNDS"] ?? 3);
const maxLives = 100;

describe("the chance that random kills hit an item so often", () => {
  it("is the upper tail of the binomial distribution", () => {
    expect(chanceOf({ atItem: 1, inAll: 1, share: 0.25 })).toBeCloseTo(0.25, 12);
    expect(chanceOf({ atItem: 2, inAll: 3, share: 0.5 })).toBeCloseTo(0.5, 12);
    expect(chanceOf({ atItem: 3, inAll: 10, share: 0.1 })).toBeCloseTo(0.0701908264, 9);
    expect(chanceOf({ atItem: 0, inAll: 10, share: 0.1 })).toBe(1);
    expect(chanceOf({ atItem: 10, inAll: 10, share: 1 })).toBe(1);
  });

  it("is found for thousands of kills too", () => {
    expect(chanceOf({ atItem: 3000, inAll: 3000, share: 0.999 })).toBeCloseTo(0.999 ** 3000, 9);
    expect(chanceOf({ atItem: 4, inAll: 5000, share: 0.001 })).toBeGreaterThan(0.5);
  });
});

describe("the ends at one item", () => {
  const end = (over: { supervisor?: string; outsideEnds: number; workerMs: number; itemMs: number }): AttemptEnd => ({
    isReleased: false,
    item: { position: 3, count: 1, beganMs: 1_000_000 },
    exit: {
      signal: "SIGKILL",
      atMs: 1_000_000 + over.itemMs,
      watched: { supervisor: over.supervisor ?? "a", outsideEnds: over.outsideEnds, workerMs: over.workerMs },
    },
  });

  it("are compared with all ends and all time since the first of them", () => {
    const ends = [
      end({ outsideEnds: 5, workerMs: 10_000, itemMs: 9000 }),
      end({ outsideEnds: 7, workerMs: 12_000, itemMs: 500 }),
      end({ outsideEnds: 9, workerMs: 14_000, itemMs: 300 }),
    ];
    expect(compareOutsideEnds(ends)).toEqual({ atItem: 2, inAll: 4, share: 0.2 });
  });

  it("are compared only with what the same supervisor saw", () => {
    const ends = [
      end({ supervisor: "a", outsideEnds: 5, workerMs: 10_000, itemMs: 100 }),
      end({ supervisor: "b", outsideEnds: 1, workerMs: 700, itemMs: 100 }),
      end({ supervisor: "b", outsideEnds: 2, workerMs: 1700, itemMs: 250 }),
    ];
    expect(compareOutsideEnds(ends)).toEqual({ atItem: 1, inAll: 1, share: 0.25 });
    expect(compareOutsideEnds(ends.slice(0, 2))).toBeUndefined();
  });
});

/** One worker after the other at one shard whose first item takes `itemMs`; others work beside them on other shards. */
interface Scene {
  readonly startMs: number;
  readonly itemMs: number;
  readonly workers: number;
  /** Mean time between two kills of one worker. */
  readonly killGapMs: number;
  /** The item itself ends its worker after that time, if nothing else does. */
  readonly diesAfterMs?: number;
}

/** Simulates lives of workers until the item is done, or is blamed; returns how many workers that took. */
function simulate({ startMs, itemMs, workers, killGapMs, diesAfterMs }: Scene, random: () => number) {
  const ends: AttemptEnd[] = [];
  let outsideEnds = 0;
  let workerMs = 0;
  for (let lives = 1; lives <= maxLives; lives++) {
    const killedMs = -killGapMs * Math.log(1 - random());
    const ownEndMs = diesAfterMs === undefined ? Number.POSITIVE_INFINITY : startMs + diesAfterMs;
    const lifeMs = Math.min(killedMs, ownEndMs, startMs + itemMs);
    if (lifeMs === startMs + itemMs) return { outcome: "through", lives };
    workerMs += lifeMs * workers;
    // The kills of the others in the same time.
    for (let other = 1; other < workers; other++) {
      let ms = -killGapMs * Math.log(1 - random());
      while (ms < lifeMs) {
        outsideEnds++;
        ms -= killGapMs * Math.log(1 - random());
      }
    }
    outsideEnds++;
    const began = 1_000_000;
    const item = { position: 0, count: 1, beganMs: began };
    const watched = { supervisor: "a", outsideEnds, workerMs };
    const exit = { signal: "SIGKILL", atMs: began + lifeMs - startMs, watched };
    ends.push({ isReleased: false, item: lifeMs > startMs ? item : undefined, exit });
    if (judgeCrashes(ends, { retries: 0 }).verdict(0) !== undefined) return { outcome: "blamed", lives };
  }
  return { outcome: "undecided", lives: maxLives };
}

describe("an innocent item", () => {
  it(`is never blamed for kills at random moments, however slow it is and however often they come (MILLRACE_SEED=${seed})`, () => {
    const random = seededRandom(seed);
    for (const startMs of [60, 200, 1200])
      for (const itemMs of [1, 20, 200, 2000, 20_000])
        for (const workers of [1, 2, 4, 16])
          for (const killGapMs of [30, 150, 600, 2400, 12_000])
            for (let round = 0; round < rounds; round++)
              expect(simulate({ startMs, itemMs, workers, killGapMs }, random).outcome).not.toBe("blamed");
  });
});

describe("an item that ends its own worker with SIGKILL", () => {
  it.each([
    { startMs: 80, diesAfterMs: 1, workers: 2, most: 16 },
    { startMs: 80, diesAfterMs: 1, workers: 1, most: 25 },
    { startMs: 1500, diesAfterMs: 1, workers: 1, most: 7 },
    { startMs: 10_000, diesAfterMs: 50, workers: 4, most: 5 },
    { startMs: 100, diesAfterMs: 2000, workers: 4, most: 25 },
  ])("is blamed after some workers: $diesAfterMs ms in the item, $startMs ms before it, $workers workers", (scene) => {
    const { outcome, lives } = simulate(
      { ...scene, itemMs: 1e9, killGapMs: Number.POSITIVE_INFINITY },
      seededRandom(seed),
    );
    expect(outcome).toBe("blamed");
    expect(lives).toBeLessThanOrEqual(scene.most);
  });
});
