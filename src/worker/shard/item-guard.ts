import type { ItemNotes } from "../../run-folder/history/attempt-notes.ts";
import type { Hold } from "../heartbeat/hold-claim.ts";
import type { CrashHistory, Verdict } from "./crash-history.ts";

/**
 * Called around each `forward` where it may end the worker. After a crash each item is noted on disk before it runs;
 * with a time limit the heartbeat's thread gets the start of each call. An ordinary run has no guard.
 */
export interface ItemGuard {
  /** A call begins: `count` items from `position` on. Returns a verdict where the item must not run. */
  enter(position: number, count: number): Verdict | undefined;
  /** Several calls are open: of `span` items from `position` on any may run; the longest call has `count` items. */
  enterSpan(position: number, span: number, count: number): void;
  /** Why the item at this position must not run, if so. */
  verdict(position: number): Verdict | undefined;
  /**
   * The call has returned, so its time limit ends. Its note stays: what the item left running may still end the worker.
   */
  answer(): void;
  /** No call is running. */
  leave(): void;
  /** No call of this shard is running, but the worker has calls of other shards open. */
  idle(): void;
  mustRunAlone(position: number): boolean;
  /** An earlier attempt died: the event loop runs after each item, so that a late error is blamed on the right item. */
  readonly isCareful: boolean;
}

export interface GuardParts {
  readonly history: CrashHistory;
  readonly notes: ItemNotes | undefined;
  readonly hold: Pick<Hold, "enterItem" | "leaveItem">;
}

// Reading it costs some microseconds, which is more than a tiny item takes.
const readMemoryEveryMs = 50;

export function openItemGuard({ history, notes, hold }: GuardParts): ItemGuard {
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
      hold.enterItem(position, count);
      return undefined;
    },
    enterSpan(position, span, count) {
      // Two at least: the item that runs in this shard is not the only one in the worker.
      const noted = Math.max(2, span);
      notes?.note(position, noted, recentRss());
      hold.enterItem(position, count, noted);
    },
    verdict: history.verdict,
    answer: () => hold.leaveItem(),
    leave() {
      hold.leaveItem();
      notes?.clear();
    },
    idle() {
      hold.leaveItem();
      notes?.idle();
    },
    mustRunAlone: history.mustRunAlone,
    isCareful: history.isCareful,
  };
}
