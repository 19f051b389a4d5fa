import type { AttemptView, WorkerView } from "../../../src/dashboard/run-view.ts";

/** The outcome of a bar of the timeline; `running` has not ended. */
export type BarOutcome = AttemptView["outcome"] | "running";

/** A part of a lane: one attempt, or several that are too short to be distinguished. */
export interface Bar {
  readonly x: number;
  readonly width: number;
  readonly outcome: BarOutcome;
  /** The indices of its attempts in the input, oldest first; empty for a current one. */
  readonly attempts: readonly number[];
  /** The current shard. */
  readonly shard: number | undefined;
}

/** Everything that a worker has done, from left to right. */
export interface Lane {
  readonly worker: string;
  readonly host: string;
  readonly bars: readonly Bar[];
}

export interface TimelineInput {
  readonly attempts: readonly AttemptView[];
  readonly workers: readonly WorkerView[];
  readonly seenSince: ReadonlyMap<string, number>;
  readonly from: number;
  readonly to: number;
  readonly width: number;
}

type GrowingBar = Bar & { width: number; readonly attempts: number[] };

const minBarWidth = 2;

/** One lane per worker, in the order of their start. However many attempts there are, a lane has few bars. */
export function layoutTimeline(input: TimelineInput): Lane[] {
  const { attempts, from, to, width } = input;
  const scale = width / Math.max(1, to - from);
  const place = (at: number) => Math.min(width, Math.max(0, (at - from) * scale));
  const lanes = new Map<string, { host: string; began: number; lastEnd: number; bars: GrowingBar[] }>();
  const order = attempts.map((_, i) => i).sort((a, b) => attempts[a]!.began - attempts[b]!.began);
  for (const index of order) {
    const { worker, host, began, ended, outcome } = attempts[index]!;
    const lane = lanes.get(worker) ?? { host, began, lastEnd: ended, bars: [] };
    lanes.set(worker, lane);
    lane.lastEnd = Math.max(lane.lastEnd, ended);
    if (ended < from || began > to) continue;
    const x = place(began);
    addBar(lane.bars, {
      x,
      width: Math.max(minBarWidth, place(ended) - x),
      outcome,
      attempts: [index],
      shard: undefined,
    });
  }
  for (const { worker, host, shard } of input.workers) {
    if (shard === null) continue;
    // A worker claims its next shard as soon as it has finished one; for the first shard, the time it was first seen is
    // used.
    const began = lanes.get(worker)?.lastEnd ?? input.seenSince.get(`${worker} ${shard}`) ?? to;
    const lane = lanes.get(worker) ?? { host, began, lastEnd: began, bars: [] };
    lanes.set(worker, lane);
    const x = place(began);
    lane.bars.push({ x, width: Math.max(minBarWidth, width - x), outcome: "running", attempts: [], shard });
  }
  return [...lanes]
    .sort(([, a], [, b]) => a.began - b.began)
    .map(([worker, { host, bars }]) => ({ worker, host, bars }));
}

/** Appends a bar. One that would hide most of the previous bar is merged into it. */
function addBar(bars: GrowingBar[], bar: GrowingBar): void {
  const last = bars.at(-1);
  const isTooClose = last !== undefined && last.outcome === bar.outcome && bar.x - last.x < minBarWidth + 1;
  if (!isTooClose) {
    bars.push(bar);
    return;
  }
  last.width = Math.max(last.x + last.width, bar.x + bar.width) - last.x;
  last.attempts.push(...bar.attempts);
}

/** The bar of a lane that is nearest to a point, within a few pixels. */
export function barAt(lane: Lane, x: number): Bar | undefined {
  const distance = (bar: Bar) => Math.max(bar.x - x, x - (bar.x + bar.width), 0);
  // Lost attempts are on top: they are what users look for.
  const near = lane.bars.filter((bar) => distance(bar) <= 4);
  return near.sort(
    (a, b) => distance(a) - distance(b) || Number(b.outcome === "lost") - Number(a.outcome === "lost"),
  )[0];
}
