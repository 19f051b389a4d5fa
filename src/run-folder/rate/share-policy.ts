import type { RateFiles } from "./rate-files.ts";
import type { CheckedRateLimit } from "./rate-limit.ts";
import type { SharedClock } from "./shared-clock.ts";
import { takeShare } from "./slot-shares.ts";
import type { SlowDowns } from "./slow-downs.ts";
import { gridOf, maxLateMs, slotMs, slotWithTimes } from "./token-grid.ts";
import type { Tokens } from "./tokens.ts";
import type { WaitingCalls } from "./waiting-calls.ts";

interface PolicyContext {
  readonly limit: CheckedRateLimit;
  readonly worker: string;
  readonly files: RateFiles;
  readonly clock: SharedClock;
  readonly tokens: Tokens;
  readonly calls: WaitingCalls;
  readonly slowDowns: SlowDowns;
  readonly now: () => number;
  readonly random: () => number;
}

interface SeenSlot {
  readonly workers: number;
  readonly isExhausted: boolean;
}

/** Decides when a worker takes tokens, and how many. */
export interface SharePolicy {
  /** Takes the shares that are due. */
  takeShares(): void;
  /** Milliseconds until shares are due. */
  nextMs(): number;
  countUse(): void;
  /** The number of the current slot. */
  slot(): number;
}

// Tokens of a slot are taken during the slot before it: first a fair share, later what others have left. Each worker
// chooses a random moment in these two ranges (as parts of a slot), so that two seldom make the same file.
const fairFrom = [0, 0.4] as const;
const restFrom = [0.6, 0.85] as const;
// How often tokens of the current slot are looked for while calls wait.
const retryMs = 250;

export function openSharePolicy(context: PolicyContext): SharePolicy {
  const { limit, files, clock, tokens, calls, now, random } = context;
  const grid = gridOf(limit);
  // The time of a new file also shows the clock of the file system.
  const timed: RateFiles = {
    ...files,
    create(name, text) {
      const beforeMs = now();
      const writtenMs = files.create(name, text);
      if (writtenMs !== undefined) clock.add(writtenMs, beforeMs, now());
      return writtenMs;
    },
  };
  /**
   * The slot for which tokens are taken ahead, how many of the two steps are done, and at which part of a slot each is
   * due.
   */
  let ahead = { slot: -1, phase: 0, at: [0, 0] as readonly [number, number] };
  let current = { slot: -1, used: 0, usedBefore: 0 };
  /** What was last seen of a slot. */
  const seen = new Map<number, SeenSlot>();
  let nextTryMs = 0;

  return {
    takeShares() {
      rollOver();
      tokens.expire(now());
      takeNow();
      takeAhead();
    },
    nextMs() {
      const nowMs = now();
      const { earliestMs } = clock.bounds(nowMs);
      if (calls.count === 0 && demand() === 0) return Number.POSITIVE_INFINITY;
      const inSlotMs = earliestMs - current.slot * slotMs;
      const aheadMs = (ahead.phase < 2 ? ahead.at[ahead.phase]! : 1) * slotMs - inSlotMs;
      return Math.max(1, missingTokens() > 0 && !isOver(current.slot) ? Math.min(aheadMs, nextTryMs - nowMs) : aheadMs);
    },
    countUse() {
      current.used++;
    },
    slot: () => Math.floor(clock.bounds(now()).earliestMs / slotMs),
  };

  function rollOver(): void {
    const slot = Math.floor(clock.bounds(now()).earliestMs / slotMs);
    if (slot === current.slot) return;
    current = { slot, used: 0, usedBefore: slot === current.slot + 1 ? current.used : 0 };
    const next = slotWithTimes(slot + 1, grid);
    if (next === ahead.slot) return;
    ahead = { slot: next, phase: 0, at: [between(fairFrom), between(restFrom)] };
    for (const old of seen.keys()) if (old < slot - maxLateMs / slotMs) seen.delete(old);
  }

  /** Takes tokens for calls that wait: from the current slot, and from earlier ones as far as the burst allows. */
  function takeNow(): void {
    if (missingTokens() <= 0 || now() < nextTryMs) return;
    nextTryMs = now() + retryMs * (0.8 + 0.4 * random());
    const { earliestMs } = clock.bounds(now());
    const first = Math.floor((earliestMs - grid.lateMs) / slotMs);
    for (let slot = first; slot <= current.slot && missingTokens() > 0; slot++) take(slot, missingTokens(), false);
  }

  function takeAhead(): void {
    const part = clock.bounds(now()).earliestMs / slotMs - current.slot;
    const { slot, at } = ahead;
    if (ahead.phase === 0 && part >= at[0]) {
      ahead.phase = 1;
      take(slot, calls.count + demand(), true);
    }
    if (ahead.phase === 1 && part >= at[1]) {
      ahead.phase = 2;
      // If tokens were left over in the slot before, take some more: then calls seldom wait for their token.
      const spare = seen.get(slot - 1)?.isExhausted === false ? 2 * demand() : 0;
      const want = calls.count > 0 ? calls.count + demand() : 0;
      take(slot, want + spare - tokens.countUntil((slot + 1) * slotMs), false);
    }
  }

  function take(slot: number, want: number, isFair: boolean): void {
    if (want <= 0 || isOver(slot)) return;
    const share = takeShare(
      {
        slot,
        want,
        isFair,
        isFirst: !seen.has(slot),
        workersBefore: seen.get(slot - 1)?.workers,
        nowMs: clock.bounds(now()).latestMs,
      },
      { ...context, files: timed, grid },
    );
    seen.set(slot, share);
    tokens.add(share.tokens);
  }

  function isOver(slot: number): boolean {
    return seen.get(slot)?.isExhausted ?? false;
  }

  /** How many waiting calls have no token in the current slot. */
  function missingTokens(): number {
    return calls.count - tokens.countUntil((current.slot + 1) * slotMs);
  }

  /** Calls per second, as seen in the current slot and the one before. */
  function demand(): number {
    return Math.max(current.used, current.usedBefore);
  }

  function between([from, to]: readonly [number, number]): number {
    return from + (to - from) * random();
  }
}
