import type { CheckedRateLimit } from "./rate-limit.ts";

// Time is cut into slots of a second, by the clock of the file system. Every call that the limit allows has a time, its
// token: tokens are `spacingMs` apart, and one is used between its time and `lateMs` after it. So a window of T holds uses
// of at most (T + lateMs) / spacingMs + 1 tokens, however they are handed out: that is perSecond × T + burst.

export const slotMs = 1000;
// Timers and file systems are not on time to the millisecond. A burst that allows less lateness pays with spacing.
const minLateMs = 20;
/** How long an unused token can be kept: after a pause, a worker looks into that many slots. */
export const maxLateMs = 5000;

/** The tokens of a slot, as all workers see them. */
export interface TokenGrid {
  readonly spacingMs: number;
  readonly lateMs: number;
  /** The share of the tokens that exist while the run is slowed down. */
  readonly factor: number;
}

/** The grid that keeps to a limit. */
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

/** The numbers below `count` in an order in which every stretch is spread over all of them: bits from the end. */
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
