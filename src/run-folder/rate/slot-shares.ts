import type { RateFiles } from "./rate-files.ts";
import type { SlowDowns } from "./slow-downs.ts";
import { maxLateMs, slotMs, spreadOrder, type TokenGrid, timesIn } from "./token-grid.ts";

// The shares of a slot are files SLOT.0, SLOT.1, …: each begins where the one before it ends. A file is created
// exclusively, so no token has two owners. The files of a slot are removed only long after its tokens have expired: a
// worker that is too late can at most make an empty share.

/** The content of a share's file. The first share of a slot decides the grid of the slot. */
interface Share extends TokenGrid {
  readonly worker: string;
  /** The tokens up to this one, in spread order, have an owner. */
  readonly to: number;
  /** How many workers have asked for tokens of this slot so far. */
  readonly workers: number;
}

/** One of the tokens that a worker holds: it may be used from its time until it expires. */
export interface Token {
  readonly atMs: number;
  readonly lateMs: number;
}

export interface ShareRequest {
  readonly slot: number;
  readonly want: number;
  /** Leaves enough tokens for all workers that asked for tokens of the slot before. */
  readonly isFair: boolean;
  /** Whether this worker has not asked for tokens of this slot. */
  readonly isFirst: boolean;
  /** How many workers asked for tokens of the slot before, if that is known. */
  readonly workersBefore: number | undefined;
  /** The latest time that the file system's clock can have: tokens that have expired by then are left out. */
  readonly nowMs: number;
}

interface ShareTaken {
  readonly tokens: readonly Token[];
  /** Whether the slot has no tokens left. */
  readonly isExhausted: boolean;
  readonly workers: number;
}

const maxTries = 8;
const keptSlots = 2 * (maxLateMs / slotMs);
const fileName = /^(\d{1,12})\.(\d{1,6}|slow)$/;
const nothing: ShareTaken = { tokens: [], isExhausted: true, workers: 0 };

/** Takes a share of the tokens of a slot, if any are left. */
export function takeShare(
  request: ShareRequest,
  context: {
    readonly files: RateFiles;
    readonly slowDowns: SlowDowns;
    readonly worker: string;
    readonly grid: TokenGrid;
  },
): ShareTaken {
  const { files, slowDowns, worker, grid } = context;
  for (let tries = 0; tries < maxTries; tries++) {
    const names = files.list();
    slowDowns.look(names);
    const number = lastShare(names, request.slot) + 1;
    const before = number === 0 ? undefined : readShare(request.slot, number - 1);
    // The last share is damaged, or not completely written yet: it is not known what is left.
    if (number > 0 && before === undefined) return nothing;
    if (number === 0) removeOld(names, Math.floor(request.nowMs / slotMs));
    const slotGrid = before ?? { ...grid, factor: slowDowns.factorAt(request.slot) };
    const times = timesIn(request.slot, slotGrid);
    const workers = (before?.workers ?? 0) + (request.isFirst ? 1 : 0);
    const limit = request.isFair ? Math.ceil(times.length / Math.max(1, workers, workersBefore(names))) : times.length;
    const lateMs = Math.min(grid.lateMs, slotGrid.lateMs);
    const from = before?.to ?? 0;
    const { tokens, to } = choose(times, { from, lateMs, count: Math.min(request.want, limit) });
    // An empty share shows that this worker waits. More of them than tokens would change nothing.
    if (to === from && (!request.isFirst || workers > times.length))
      return { tokens, isExhausted: to >= times.length, workers };
    const share: Share = {
      worker,
      to,
      workers,
      spacingMs: slotGrid.spacingMs,
      lateMs: slotGrid.lateMs,
      factor: slotGrid.factor,
    };
    if (files.create(`${request.slot}.${number}`, `${JSON.stringify(share)}\n`) !== undefined)
      return { tokens, isExhausted: to >= times.length, workers };
  }
  return { tokens: [], isExhausted: false, workers: 0 };

  function workersBefore(names: readonly string[]): number {
    if (request.workersBefore !== undefined) return request.workersBefore;
    const last = lastShare(names, request.slot - 1);
    return last < 0 ? 0 : (readShare(request.slot - 1, last)?.workers ?? 0);
  }

  function readShare(slot: number, number: number): Share | undefined {
    return parseShare(files.read(`${slot}.${number}`));
  }

  function choose(times: readonly number[], { from, lateMs, count }: { from: number; lateMs: number; count: number }) {
    const order = spreadOrder(times.length);
    const tokens: Token[] = [];
    let to = from;
    for (; to < order.length && tokens.length < count; to++) {
      const atMs = times[order[to]!]!;
      if (atMs + lateMs >= request.nowMs) tokens.push({ atMs, lateMs });
    }
    return { tokens: tokens.sort((one, two) => one.atMs - two.atMs), to };
  }

  function removeOld(names: readonly string[], slot: number): void {
    for (const name of names) {
      const isOld = Number(fileName.exec(name)?.[1] ?? slot) < slot - keptSlots;
      if (isOld && !slowDowns.isCurrent(name)) files.remove(name);
    }
  }
}

/** The number of the last share of a slot; -1 if there is none. */
function lastShare(names: readonly string[], slot: number): number {
  let last = -1;
  for (const name of names) {
    const [, of, number] = fileName.exec(name) ?? [];
    if (Number(of) === slot && number !== "slow") last = Math.max(last, Number(number));
  }
  return last;
}

function parseShare(text: string | undefined): Share | undefined {
  try {
    const share = JSON.parse(text ?? "") as Partial<Share>;
    const { to, workers, spacingMs, lateMs, factor } = share;
    // A smaller spacing than that of the maximum rate would make lists that fill the memory.
    const isWhole =
      isBetween(to, 0, 1e6) &&
      isBetween(workers, 0, 1e9) &&
      isBetween(spacingMs, 0.01, 1e15) &&
      isBetween(lateMs, 0, maxLateMs) &&
      isBetween(factor, 0.001, 1);
    return isWhole ? (share as Share) : undefined;
  } catch {
    return undefined;
  }
}

function isBetween(value: unknown, min: number, max: number): value is number {
  return typeof value === "number" && value >= min && value <= max;
}
