import { describe, expect, it } from "vitest";
import { maxAttempts } from "../../../src/dashboard/run-view.ts";
import { openAttemptLog } from "../../../src/dashboard/view/attempt-log.ts";
import type { AttemptRecord } from "../../../src/run-folder/history/history.ts";

const attempt = (ended: number): AttemptRecord => ({
  unit: ended,
  attempt: 1,
  worker: "w",
  host: "h",
  began: ended - 10,
  ended,
  outcome: "committed",
  items: 1,
  failed: 0,
  counts: { items: 1, written: 1, dropped: 0, failed: 0 },
});

describe("the log of attempts", () => {
  it("puts those of all workers in the order in which they ended", () => {
    const log = openAttemptLog();
    for (const ended of [300, 500, 100, 400]) log.add(attempt(ended));
    expect(log.newest().map(({ ended }) => ended)).toEqual([100, 300, 400, 500]);
    expect(log).toMatchObject({ began: 90, ended: 500 });
    expect(log.newest()[0]).not.toHaveProperty("counts");
  });

  it("keeps the newest, and says how many it has left out", () => {
    const log = openAttemptLog();
    for (let ended = 1; ended <= 3 * maxAttempts; ended++) log.add(attempt(ended));
    expect(log.newest()).toHaveLength(maxAttempts);
    expect(log.newest()[0]!.ended).toBe(2 * maxAttempts + 1);
    expect(log.leftOut()).toBe(2 * maxAttempts);
  });

  it("passes what is new once", () => {
    const log = openAttemptLog();
    log.add(attempt(1));
    expect(log.takeNew()).toHaveLength(1);
    expect(log.takeNew()).toEqual([]);
  });
});
