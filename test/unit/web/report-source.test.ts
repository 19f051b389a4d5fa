import { describe, expect, it } from "vitest";
import type { FailureView, ReportData, Snapshot } from "../../../src/dashboard/run-view.ts";
import { reportSource } from "../../../web/dashboard/source/report-source.ts";
import { openRun } from "../../../web/dashboard/store.ts";

const snapshot = { overview: { workers: [] }, shards: "cc", attempts: [], rates: [] } as unknown as Snapshot;
const data = {
  card: { id: "run" },
  snapshot,
  failures: { total: 5000, offset: 0, retryCommand: "retry", failures: [0, 1, 2].map((item) => ({ item })) },
  plan: {},
  logs: [
    { name: "whole", text: "größe\n", bytes: 8 },
    { name: "end", text: "f a line\nlast\n", bytes: 5000 },
  ],
} as unknown as ReportData;

describe("reportSource", () => {
  const source = reportSource(data);

  it("has its run at once, and nothing that could change it", async () => {
    expect(openRun(source, "run").get()).toMatchObject({ link: "live", model: { board: { size: 2 } } });
    expect(source.isLive).toBe(false);
    expect(await source.act("run", "cancel")).toMatchObject({ ok: false });
  });

  it("cuts its failures into pages, and says how many it has", async () => {
    const { total, failures } = await source.failures("run", 1, 5);
    expect([total, failures, source.keptFailures]).toEqual([5000, [{ item: 1 }, { item: 2 }] as FailureView[], 3]);
  });

  it("distinguishes a whole log from the end of one", async () => {
    expect(await source.log("run", "whole", 0)).toMatchObject({ from: 0, next: 8 });
    expect(await source.log("run", "end", 0)).toMatchObject({ from: 5000 - 14, next: 5000, bytes: 5000 });
    expect(await source.log("run", "absent", 0)).toEqual({ text: "", from: 0, next: 0, bytes: 0 });
  });
});
