import type { AttemptRecord } from "../../run-folder/history/history.ts";
import { type AttemptView, maxAttempts } from "../run-view.ts";

/** The ended attempts of a run: the newest ones, and their total. */
export interface AttemptLog {
  add(record: AttemptRecord): void;
  newest(): AttemptView[];
  leftOut(): number;
  /** The attempts added since the last call. */
  takeNew(): AttemptView[];
  /** The start of the first and the end of the last; null if there is none. */
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
    // They come worker by worker, each worker's in order.
    kept.sort((a, b) => a.ended - b.ended);
    if (kept.length > maxAttempts) kept = kept.slice(-maxAttempts);
  };
  return {
    add(record) {
      count++;
      kept.push(record);
      fresh.push(record);
      if (kept.length > 2 * maxAttempts) thin();
      if (fresh.length > 2 * maxAttempts) fresh = fresh.slice(-maxAttempts);
      began = Math.min(began ?? record.began, record.began);
      ended = Math.max(ended ?? record.ended, record.ended);
    },
    newest() {
      thin();
      return kept.map(viewOf);
    },
    leftOut() {
      return Math.max(0, count - maxAttempts);
    },
    takeNew() {
      const taken = fresh.slice(-maxAttempts).map(viewOf);
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
