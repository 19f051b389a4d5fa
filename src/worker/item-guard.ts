import type { ItemNotes } from "../store/attempt-notes.ts";
import type { CrashHistory, Verdict } from "./crash-history.ts";
import type { Heartbeat } from "./heartbeat.ts";

/**
 * Stands before each call of `forward` where something is to be feared: an earlier attempt died, so each item is noted
 * on disk; or items have a time limit, so the heartbeat's thread is told of each. An ordinary run has no guard.
 */
export interface ItemGuard {
  /** A call begins: `count` items from `position` on. Answers why an item must not run, if it must not. */
  enter(position: number, count: number): Verdict | undefined;
  /** The call has answered: its time is over. Its note stays, for what it may have left behind. */
  answer(): void;
  /** No call is running. */
  leave(): void;
  mustStandAlone(position: number): boolean;
  /** An earlier attempt died: what an item leaves behind is to come to light while its note stands. */
  readonly isCareful: boolean;
}

export interface GuardParts {
  readonly history: CrashHistory;
  readonly notes: ItemNotes | undefined;
  readonly heartbeat: Pick<Heartbeat, "enterItem" | "leaveItem">;
}

// Reading it costs some microseconds, which is more than a tiny item takes.
const readMemoryEveryMs = 50;

export function openItemGuard({ history, notes, heartbeat }: GuardParts): ItemGuard {
  let rss = 0;
  let rssReadMs = Number.NEGATIVE_INFINITY;
  const recentRss = () => {
    const now = performance.now();
    if (now - rssReadMs < readMemoryEveryMs) return rss;
    rssReadMs = now;
    rss = process.memoryUsage.rss();
    return rss;
  };
  return {
    enter(position, count) {
      const verdict = count === 1 ? history.verdict(position) : undefined;
      if (verdict !== undefined) return verdict;
      notes?.note(position, count, recentRss());
      heartbeat.enterItem(position, count);
      return undefined;
    },
    answer: () => heartbeat.leaveItem(),
    leave() {
      heartbeat.leaveItem();
      notes?.clear();
    },
    mustStandAlone: history.mustStandAlone,
    isCareful: history.isCareful,
  };
}
