import type { CheckedRateLimit } from "./rate-limit.ts";

// Time is cut into slots of a second, by the clock of the file system. A token is the time of one allowed call: tokens
// are `spacingMs` apart, and each may be used from its time until `lateMs` later. So at most (T + lateMs) / spacingMs +
// 1 tokens are used within a time T, independent of who holds them: that is perSecond × T + burst.

export const slotMs = 1000;
// Timers and file systems are not on time to the millisecond. If the burst allows less lateness than this, tokens are
// further apart.
const minLateMs = 20;
/** How long an unused token can be kept, at most. */
export const maxLateMs = 5000;

/** The times of tokens, the same for all workers. */
export interface TokenGrid {
  readonly spacingMs: number;
  readonly lateMs: number;
  /** The share of the tokens that exist while the run is slowed down. */
  readonly factor: number;
}

/** The grid of a limit. */
export function gridOf({ perSecond, burst }: CheckedRateLimit): TokenGrid {
  const fullMs = 1000 / perSecond;
  const allowedMs = (burst - 1) * fullMs;
  const lateMs = Math.min(Math.max(allowedMs, minLateMs), maxLateMs);
  return { spacingMs: fullMs + Math.max(0, lateMs - allowedMs), lateMs, factor: 1 };
}

/** The times of a slot's tokens, in order. */
export function timesIn(slot: number, grid: TokenGrid): number[] {
  const times: number[] = [];
  const end = firstIn(slot + 1, grid);
  for (let token = firstIn(slot, grid); token < end; token++)
    if (exists(token, grid)) times.push(token * grid.spacingMs);
  return times;
}

/** The first slot, from this one on, that has tokens. */
export function slotWithTimes(slot: number, grid: TokenGrid): number {
  let token = firstIn(slot, grid);
  while (!exists(token, grid)) token++;
  return Math.max(slot, Math.floor((token * grid.spacingMs) / slotMs));
}

function firstIn(slot: number, { spacingMs }: TokenGrid): number {
  return Math.ceil((slot * slotMs) / spacingMs);
}

// A slower grid is a part of the full one, so that no change of the factor brings two tokens closer together.
function exists(token: number, { factor }: TokenGrid): boolean {
  return factor >= 1 || Math.floor((token + 1) * factor) > Math.floor(token * factor);
}

/** The numbers below `count` in bit-reversed order: any part of the list is spread evenly over all numbers. */
export function spreadOrder(count: number): number[] {
  const bits = Math.max(1, Math.ceil(Math.log2(Math.max(1, count))));
  const order: number[] = [];
  for (let i = 0; i < 2 ** bits; i++) {
    let reversed = 0;
    for (let bit = 0; bit < bits; bit++) if ((i >> bit) & 1) reversed |= 1 << (bits - 1 - bit);
    if (reversed < count) order.push(reversed);
  }
  return order;
}
