import { describe, expect, it } from "vitest";
import { firstReport, type WorkerReport } from "../../../../src/run-folder/files/worker-report.ts";
import { ttlBeforeHeartbeatMs } from "../../../../src/run-folder/lease/lease.ts";
import { whyStalled } from "../../../../src/run-folder/run/why-stalled.ts";

const minute = 60_000;
const lease = { worker: "aaa", host: "h", pid: 1, began: "", ttlMs: 15_000 };

function seen(report: Partial<WorkerReport>, ageMs = 100) {
  return { report: { ...firstReport(lease), alive: 10 * minute, idle: 0, ...report }, ageMs };
}

const of = (...live: ReturnType<typeof seen>[]) => whyStalled({ live, silent: [] });

describe("whyStalled", () => {
  it("finds no reason where no process is there, and where a worker makes progress", () => {
    expect(whyStalled({ live: [], silent: [seen({})] })).toBeUndefined();
    expect(of(seen({ done: 10 }))).toBeUndefined();
    expect(of(seen({ done: 10 }), seen({ done: 10, idle: 9 * minute }))).toBeUndefined();
  });

  it("finds a worker whose heartbeats are late, except before its first", () => {
    expect(of(seen({}, 7000))).toBeUndefined();
    expect(of(seen({}, 8000))).toBe("worker aaa gives no sign of life for 0:08");
    expect(of(seen({ ttlMs: ttlBeforeHeartbeatMs }, 60_000))).toBeUndefined();
  });

  it("finds that no item has ended for long, by the usual time of an item", () => {
    expect(of(seen({ done: 100, alive: 10 * minute, idle: 4 * minute }))).toBeUndefined();
    expect(of(seen({ done: 100, alive: 10 * minute, idle: 6 * minute }))).toBe(
      "no item has ended for 6:00 (worker aaa)",
    );
    // An item usually takes ten minutes here.
    expect(of(seen({ done: 10, alive: 160 * minute, idle: 60 * minute }))).toBeUndefined();
    expect(of(seen({ done: 0, alive: 20 * minute, idle: 20 * minute }))).toBeUndefined();
    expect(of(seen({ done: 0, alive: 31 * minute, idle: 31 * minute }))).toMatch(/^no item has ended for 31:00/);
  });

  it("does not judge reports of earlier versions", () => {
    expect(of(seen({ done: 1, idle: undefined, alive: undefined }))).toBeUndefined();
  });

  it("finds a silent worker behind a driver that waits, the longest first", () => {
    const driver = seen({ role: "driver", worker: "d" });
    expect(whyStalled({ live: [driver], silent: [] })).toBeUndefined();
    const silent = [seen({ worker: "one" }, 20_000), seen({ worker: "two" }, 90_000), seen({ role: "driver" }, 99_000)];
    expect(whyStalled({ live: [driver], silent })).toBe("worker two gives no sign of life for 1:30");
    expect(whyStalled({ live: [driver, seen({ done: 1 })], silent })).toBeUndefined();
  });
});
