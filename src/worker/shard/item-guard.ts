import type { ItemNotes } from "../../run-folder/history/attempt-notes.ts";
import type { Hold } from "../heartbeat/hold-claim.ts";
import type { CrashHistory, Verdict } from "./crash-history.ts";

/**
 * Called around each `forward` that may end the worker. After a crash each item is noted on disk before it runs. With a
 * time limit the heartbeat thread gets the start of each call. An ordinary run has no guard.
 */
export interface ItemGuard {
  /** Begins a call of `count` items from `position` on. Returns a verdict if the item must not run. */
  enter(position: number, count: number): Verdict | undefined;
  /** Notes several open calls: any of `span` items from `position` on may be running; the largest call has `count` items. */
  enterSpan(position: number, span: number, count: number): void;
  /** Why the item at this position must not run; undefined if it may. */
  verdict(position: number): Verdict | undefined;
  /**
   * The call has returned, so its time limit does not apply any more. Its note stays: something that the item left
   * running may still end the worker.
   */
  answer(): void;
  /** No call is open. */
  leave(): void;
  /** No call of this shard is open, but the worker has open calls of other shards. */
  idle(): void;
  mustRunAlone(position: number): boolean;
  /**
   * Whether an earlier attempt died. Then the event loop runs after each item, so that a late error is assigned to the
   * right item.
   */
  readonly isCareful: boolean;
}

export interface GuardParts {
  readonly history: CrashHistory;
  readonly notes: ItemNotes | undefined;
  readonly hold: Pick<Hold, "enterItem" | "leaveItem">;
}

// Reading the memory takes some microseconds: longer than a tiny item.
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
      // At least 2: the note must not name a single item, because the worker runs items of other shards too.
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
