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
  let kept: AttemptRecord[] = [];
  let fresh: AttemptRecord[] = [];
  let count = 0;
  let began: number | null = null;
  let ended: number | null = null;
  const thin = () => {
    // They come worker by worker, and each worker's in order.
    kept.sort((a, b) => a.ended - b.ended);
    if (kept.length > mostAttempts) kept = kept.slice(-mostAttempts);
  };
  return {
    add(record) {
      count++;
      kept.push(record);
      fresh.push(record);
      if (kept.length > 2 * mostAttempts) thin();
      if (fresh.length > 2 * mostAttempts) fresh = fresh.slice(-mostAttempts);
      began = Math.min(began ?? record.began, record.began);
      ended = Math.max(ended ?? record.ended, record.ended);
    },
    newest() {
      thin();
      return kept.map(viewOf);
    },
    leftOut() {
      return Math.max(0, count - mostAttempts);
    },
    takeNew() {
      const taken = fresh.slice(-mostAttempts).map(viewOf);
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

function viewOf({ counts: _, ...view }: AttemptRecord): AttemptView {
  return view;
}
