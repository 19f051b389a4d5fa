import type { AttemptRecord } from "../../store/history.ts";
import { type AttemptView, mostAttempts } from "../run-view.ts";

/** The attempts of a run that have ended: the newest of them, and how many there were. */
export interface AttemptLog {
  add(record: AttemptRecord): void;
  newest(): AttemptView[];
  leftOut(): number;
  /** Those that were added since this was last asked for. */
  takeNew(): AttemptView[];
  /** When the first began and the last ended; null where there was none. */
  readonly began: number | null;
  readonly ended: number | null;
}

export function openAttemptLog(): AttemptLog {
  let kept: AttemptView[] = [];
  let fresh: AttemptView[] = [];
  let count = 0;
  let began: number | null = null;
  let ended: number | null = null;
  const thin = () => {
    // They come worker by worker, and each worker's in order.
    kept.sort((a, b) => a.ended - b.ended);
    if (kept.length > mostAttempts) kept = kept.slice(-mostAttempts);
  };
  return {
    add({ counts: _, ...view }) {
      count++;
      kept.push(view);
      fresh.push(view);
      if (kept.length > 2 * mostAttempts) thin();
      if (fresh.length > 2 * mostAttempts) fresh = fresh.slice(-mostAttempts);
      began = Math.min(began ?? view.began, view.began);
      ended = Math.max(ended ?? view.ended, view.ended);
    },
    newest() {
      thin();
      return [...kept];
    },
    leftOut() {
      return Math.max(0, count - mostAttempts);
    },
    takeNew() {
      const taken = fresh.slice(-mostAttempts);
      fresh = [];
      return taken;
    },
    get began() {
      return began;
    },
    get ended() {
      return ended;
    },
  };
}
