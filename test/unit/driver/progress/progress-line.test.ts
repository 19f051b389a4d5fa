import { describe, expect, it } from "vitest";
import { describeJobs, progressLine } from "../../../../src/driver/progress/progress-line.ts";
import type { RunStatus } from "../../../../src/run-folder/run/run-status.ts";

interface Change {
  readonly items?: Partial<RunStatus["items"]>;
  readonly itemsPerSecond?: number;
  readonly etaSeconds?: number;
}

function lineOf({ items, itemsPerSecond = 0, etaSeconds }: Change): string {
  return progressLine("PrepRunner", {
    runDir: "/run",
    jobs: undefined,
    failure: undefined,
    state: "running",
    items: { total: 2000, done: 500, written: 500, dropped: 0, failed: 0, ...items },
    shards: { total: 4, committed: 1, damaged: 0 },
    workers: [],
    itemsPerSecond,
    etaSeconds,
  });
}

describe("describeJobs", () => {
  it("shows what those wait for that wait, and that the scheduler is silent", () => {
    const status = { env: "slurm", pending: 2, running: 1, lost: 0 };
    expect(describeJobs(status)).toBe("slurm jobs: 2 pending, 1 running");
    expect(
      describeJobs({ ...status, lost: 1, waitingFor: "PENDING (DependencyNeverSatisfied)", silence: "it hangs" }),
    ).toBe("slurm jobs: 2 pending (PENDING (DependencyNeverSatisfied)), 1 running, 1 lost (does not answer now)");
  });
});

describe("progressLine", () => {
  it("shows the runner and its items", () => {
    expect(lineOf({})).toBe("PrepRunner: 500/2,000 items (25 %)");
  });

  it("shows rate, time left, dropped and failed items", () => {
    const items = { dropped: 3, failed: 1200 };
    expect(lineOf({ items, itemsPerSecond: 1234.5, etaSeconds: 65 })).toBe(
      "PrepRunner: 500/2,000 items (25 %) | 1,235 items/s | 1:05 left | 3 dropped | 1,200 failed",
    );
  });

  it.each([
    [0.25, "0.3 items/s"],
    [3, "3 items/s"],
    [9.94, "9.9 items/s"],
    [12.4, "12 items/s"],
  ])("shows a rate of %d as %s", (itemsPerSecond, text) => {
    expect(lineOf({ itemsPerSecond })).toContain(`| ${text}`);
  });

  it.each([
    [0.2, "0:01 left"],
    [59.5, "1:00 left"],
    [600, "10:00 left"],
    [3599.5, "1:00:00 left"],
    [90_061, "25:01:01 left"],
  ])("shows %d seconds as %s", (etaSeconds, text) => {
    expect(lineOf({ etaSeconds })).toContain(`| ${text}`);
  });

  it("does not say 100 % before the last item", () => {
    expect(lineOf({ items: { total: 1000, done: 999 } })).toContain("(99 %)");
  });

  it("shows no time left when all items are done", () => {
    expect(lineOf({ items: { done: 2000 }, etaSeconds: 0 })).toBe("PrepRunner: 2,000/2,000 items (100 %)");
  });

  it("shows a run without items as complete", () => {
    expect(lineOf({ items: { total: 0, done: 0 } })).toBe("PrepRunner: 0/0 items (100 %)");
  });
});
