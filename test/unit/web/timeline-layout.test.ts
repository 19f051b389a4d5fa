import { describe, expect, it } from "vitest";
import type { AttemptView, WorkerView } from "../../../src/dashboard/run-view.ts";
import { barAt, layoutTimeline, type TimelineInput } from "../../../web/dashboard/layout/timeline-layout.ts";
import { timelineSpan } from "../../../web/dashboard/layout/timeline-span.ts";

const attempt = (worker: string, began: number, ended: number, more: Partial<AttemptView> = {}): AttemptView => ({
  unit: 0,
  attempt: 0,
  worker,
  host: "here",
  began,
  ended,
  outcome: "committed",
  items: 1,
  failed: 0,
  ...more,
});
const worker = (name: string, shard: number | null) => ({ worker: name, host: "here", shard }) as WorkerView;
const layout = (attempts: AttemptView[], more: Partial<TimelineInput> = {}) =>
  layoutTimeline({ attempts, workers: [], seenSince: new Map(), from: 0, to: 1000, width: 100, ...more });

describe("layoutTimeline", () => {
  it("has a lane a worker, in the order in which they began, whatever the order of the attempts", () => {
    const lanes = layout([attempt("b", 300, 400), attempt("a", 500, 600), attempt("b", 100, 200), attempt("c", 0, 50)]);
    expect(lanes.map((lane) => lane.worker)).toEqual(["c", "b", "a"]);
    expect(lanes[1]!.bars.map(({ x, width, attempts }) => [x, width, attempts])).toEqual([
      [10, 10, [2]],
      [30, 10, [0]],
    ]);
  });

  it("makes one bar of attempts that cannot be distinguished, and keeps the lost one among them", () => {
    const many = Array.from({ length: 4000 }, (_, i) =>
      attempt("a", i / 4, i / 4 + 0.25, i === 2000 ? { outcome: "lost" } : {}),
    );
    const [lane] = layout(many);
    expect(lane!.bars.length).toBeLessThan(60);
    expect(lane!.bars.flatMap(({ attempts }) => attempts)).toHaveLength(4000);
    expect(lane!.bars.filter(({ outcome }) => outcome === "lost")).toHaveLength(1);
    expect(barAt(lane!, 50)!.outcome).toBe("lost");
  });

  it("leaves out what lies outside of the time that is shown, and cuts what reaches into it", () => {
    const [lane] = layout([attempt("a", 0, 100), attempt("a", 400, 600)], { from: 500, to: 1500 });
    expect(lane!.bars).toMatchObject([{ x: 0, width: 10, attempts: [1] }]);
  });

  it("shows what is running from the end of the attempt before, or since it was seen", () => {
    const lanes = layout([attempt("a", 0, 400)], {
      workers: [worker("a", 7), worker("b", 8), worker("idle", null)],
      seenSince: new Map([["b 8", 900]]),
    });
    expect(lanes.map(({ worker: name, bars }) => [name, bars.at(-1)])).toEqual([
      ["a", { x: 40, width: 60, outcome: "running", attempts: [], shard: 7 }],
      ["b", { x: 90, width: 10, outcome: "running", attempts: [], shard: 8 }],
    ]);
  });

  it("finds a bar a few pixels beside it, and none far away", () => {
    const [lane] = layout([attempt("a", 100, 200)]);
    expect([barAt(lane!, 23)?.attempts, barAt(lane!, 30)]).toEqual([[0], undefined]);
  });
});

describe("timelineSpan", () => {
  const span = (workers: WorkerView[], windowMs?: number) =>
    timelineSpan(
      { attempts: [attempt("a", 100, 900)], overview: { began: 150, workers } as never },
      { now: 2000, windowMs },
    );

  it("reaches to now while a worker runs, and to the last end otherwise", () => {
    expect([span([worker("a", 1)]), span([])]).toEqual([
      { from: 100, to: 2000 },
      { from: 100, to: 900 },
    ]);
  });

  it("is the end of it where a window is chosen", () => expect(span([], 200)).toEqual({ from: 700, to: 900 }));
});
