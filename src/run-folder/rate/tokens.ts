import type { SharedClock } from "./shared-clock.ts";
import type { Token } from "./slot-shares.ts";

// A token may be used for at least this long, even if the file system's clock is known less exactly.
const minUseMs = 5;

/** The tokens that a worker holds. */
export interface Tokens {
  /** The number of tokens before this time. */
  countUntil(untilMs: number): number;
  add(tokens: readonly Token[]): void;
  /** Uses a token whose time has come. Returns false if there is none. */
  use(nowMs: number): boolean;
  /** Removes tokens that are too old. */
  expire(nowMs: number): void;
  /** Milliseconds until the next token can be used. */
  nextMs(nowMs: number): number;
}

export function openTokens(clock: SharedClock): Tokens {
  let held: Token[] = [];
  /** The index of the first token in `held` that is not used. */
  let next = 0;
  const tokens: Tokens = {
    countUntil(untilMs) {
      let count = 0;
      for (let at = next; at < held.length && held[at]!.atMs < untilMs; at++) count++;
      return count;
    },
    add(more) {
      if (more.length === 0) return;
      held = [...held.slice(next), ...more].sort((one, two) => one.atMs - two.atMs);
      next = 0;
    },
    use(nowMs) {
      tokens.expire(nowMs);
      const token = held[next];
      if (token === undefined || clock.bounds(nowMs).earliestMs < token.atMs) return false;
      next++;
      return true;
    },
    expire(nowMs) {
      const { earliestMs, latestMs } = clock.bounds(nowMs);
      while (next < held.length) {
        const { atMs, lateMs } = held[next]!;
        if (earliestMs <= atMs + Math.max(lateMs - (latestMs - earliestMs), minUseMs)) return;
        next++;
      }
    },
    nextMs(nowMs) {
      const token = held[next];
      return token === undefined ? Number.POSITIVE_INFINITY : Math.max(0, token.atMs - clock.bounds(nowMs).earliestMs);
    },
  };
  return tokens;
}
