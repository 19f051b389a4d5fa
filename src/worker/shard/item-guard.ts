import type { ItemNotes } from "../../run-folder/history/attempt-notes.ts";
import type { Heartbeat } from "../heartbeat/heartbeat.ts";
import type { CrashHistory, Verdict } from "./crash-history.ts";

/**
 * Called around each `forward` where it may end the worker. After a crash each item is noted on disk before it runs;
 * with a time limit the heartbeat's thread gets the start of each call. An ordinary run has no guard.
 */
export interface ItemGuard {
  /** A call begins: `count` items from `position` on. Returns a verdict where the item must not run. */
  enter(position: number, count: number): Verdict | undefined;
  /**
   * The call has returned, so its time limit ends. Its note stays: what the item left running may still end the worker.
   */
  answer(): void;
  /** No call is running. */
  leave(): void;
  mustRunAlone(position: number): boolean;
  /** An earlier attempt died: the event loop runs after each item, so that a late error is blamed on the right item. */
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
    mustRunAlone: history.mustRunAlone,
    isCareful: history.isCareful,
  };
}
