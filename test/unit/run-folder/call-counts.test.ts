import { expect, it } from "vitest";
import { describeCalls, progressLine } from "../../../src/driver/progress/progress-line.ts";
import { firstReport, parseReport, reportText } from "../../../src/run-folder/files/worker-report.ts";
import { callCountsOf, sumCallCounts } from "../../../src/run-folder/run/call-counts.ts";

const report = firstReport({ worker: "w", role: "worker", ttlMs: 1000, host: "h", pid: 1, began: "" });

it("counts the calls of all workers that may have several open", () => {
  const busy = { ...report, inFlight: 10, waiting: 50, retrying: 4, retries: 7 };
  expect(callCountsOf(report)).toBeUndefined();
  expect(sumCallCounts([report, report])).toBeUndefined();
  expect(sumCallCounts([busy, report, { ...report, inFlight: 1 }])).toEqual({
    inFlight: 11,
    waitingForRate: 50,
    waitingForRetry: 4,
    retries: 7,
  });
});

it("says what calls wait for, and leaves out what there is none of", () => {
  const counts = { inFlight: 1200, waitingForRate: 50, waitingForRetry: 4, retries: 7 };
  expect(describeCalls(counts)).toBe(
    "1,200 calls in flight, 50 waiting for the rate limit, 4 waiting for a retry, 7 repeated",
  );
  expect(describeCalls({ inFlight: 0, waitingForRate: 0, waitingForRetry: 0, retries: 0 })).toBe("0 calls in flight");
});

it("shows the calls in the line of progress until all items are done", () => {
  const status = {
    items: { total: 10, done: 4, written: 4, dropped: 0, failed: 0 },
    itemsPerSecond: 2,
    etaSeconds: 3,
    calls: { inFlight: 2, waitingForRate: 3, waitingForRetry: 0, retries: 0 },
  };
  const line = (done: number) =>
    progressLine("run", { ...status, items: { ...status.items, done } } as Parameters<typeof progressLine>[1]);
  expect(line(4)).toBe(
    "run: 4/10 items (40 %) | 2 items/s | 0:03 left | 2 calls in flight, 3 waiting for the rate limit",
  );
  expect(line(10)).toBe("run: 10/10 items (100 %) | 2 items/s");
});

it("does not believe a report whose counts are no amounts", () => {
  const text = (more: object) => reportText({ ...report, ...more } as typeof report);
  const isBelieved = (more: object) => parseReport(text(more)) !== undefined;
  expect(isBelieved({ inFlight: 3, waiting: 0, retrying: 1, retries: 2 })).toBe(true);
  for (const name of ["inFlight", "waiting", "retrying", "retries"]) expect(isBelieved({ [name]: -1 })).toBe(false);
});
