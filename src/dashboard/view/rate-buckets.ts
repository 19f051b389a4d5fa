import type { RatePoint } from "../run-view.ts";

/** A span of time in which items were done. */
export interface WorkSpan {
  readonly began: number;
  readonly ended: number;
  readonly items: number;
}

/** Items per second over a whole run, in at most `maxBuckets` points however long it takes. */
export interface RateBuckets {
  add(span: WorkSpan): void;
  /** The points up to now; `running` is work that has not ended yet. */
  points(now: number, running?: readonly WorkSpan[]): RatePoint[];
}

const maxBuckets = 600;
const firstWidthMs = 1000;

/** Opens an empty series. When there are too many buckets, pairs are merged. */
export function openRateBuckets(): RateBuckets {
  return bucketsOf({ origin: Number.NaN, widthMs: firstWidthMs, counts: [] });
}

interface Buckets {
  origin: number;
  widthMs: number;
  counts: number[];
}

function bucketsOf(state: Buckets): RateBuckets {
  return {
    add,
    points(now, running = []) {
      // Current work is added to a copy; it is added permanently when it has ended.
      const copy: Buckets = { ...state, counts: [...state.counts] };
      const all = bucketsOf(copy);
      for (const span of running) all.add({ ...span, ended: Math.max(span.began, Math.min(span.ended, now)) });
      return pointsOf(copy, now);
    },
  };

  function add({ began, ended, items }: WorkSpan): void {
    if (!(items > 0) || !(ended >= began)) return;
    makeRoom(began, ended);
    const { origin, widthMs, counts } = state;
    const first = Math.floor((began - origin) / widthMs);
    const last = Math.floor((ended - origin) / widthMs);
    while (counts.length <= last) counts.push(0);
    if (first === last) {
      counts[first]! += items;
      return;
    }
    const perMs = items / (ended - began);
    for (let i = first; i <= last; i++) {
      const from = Math.max(began, origin + i * widthMs);
      const to = Math.min(ended, origin + (i + 1) * widthMs);
      counts[i]! += perMs * (to - from);
    }
  }

  function makeRoom(began: number, ended: number): void {
    if (Number.isNaN(state.origin)) state.origin = began;
    const end = () => Math.max(ended, state.origin + state.counts.length * state.widthMs);
    while ((end() - Math.min(began, state.origin)) / state.widthMs > maxBuckets - 2) widen();
    const missing = Math.ceil((state.origin - began) / state.widthMs);
    if (missing <= 0) return;
    state.counts.unshift(...new Array<number>(missing).fill(0));
    state.origin -= missing * state.widthMs;
  }

  function widen(): void {
    const { counts } = state;
    state.widthMs *= 2;
    state.counts = Array.from(
      { length: Math.ceil(counts.length / 2) },
      (_, i) => counts[2 * i]! + (counts[2 * i + 1] ?? 0),
    );
  }
}

function pointsOf({ origin, widthMs, counts }: Buckets, now: number): RatePoint[] {
  return counts.map((items, i) => {
    const from = origin + i * widthMs;
    // The last bucket is incomplete: its items were done in a part of its time.
    const spanMs = now > from && now < from + widthMs ? Math.max(now - from, widthMs / 4) : widthMs;
    return { at: Math.round(from + spanMs / 2), itemsPerSecond: (items * 1000) / spanMs };
  });
}
