import type { AttemptEnd, Watched } from "../store/attempt-notes.ts";

/** How often workers were ended from outside at one item, beside all such ends that their supervisors saw meanwhile. */
export interface OutsideEnds {
  /** Ends at the item. */
  readonly atItem: number;
  /** All ends of workers in the same time. */
  readonly inAll: number;
  /** The part of all workers' time that went into the item. */
  readonly share: number;
}

// How late the end of a worker is noticed, at the least: an item is never taken to be shorter than that.
const shortestItemMs = 20;

/**
 * Compares the ends at an item with the time that was spent in it. Only what lies between the first and the last end at
 * the item counts, and only ends that the same supervisor saw are compared: kills may come in bursts. The first end opens
 * that time, so it is not counted itself.
 */
export function compareOutsideEnds(ends: readonly AttemptEnd[]): OutsideEnds | undefined {
  const bySupervisor = new Map<string, SeenEnd[]>();
  for (const end of ends) {
    const seen = seenEnd(end);
    if (seen === undefined) continue;
    bySupervisor.set(seen.watched.supervisor, [...(bySupervisor.get(seen.watched.supervisor) ?? []), seen]);
  }
  let [atItem, inAll, itemMs, workerMs] = [0, 0, 0, 0];
  for (const seen of bySupervisor.values()) {
    seen.sort((a, b) => a.watched.outsideEnds - b.watched.outsideEnds);
    const [first, last] = [seen[0]!.watched, seen.at(-1)!.watched];
    atItem += seen.length - 1;
    inAll += last.outsideEnds - first.outsideEnds;
    workerMs += last.workerMs - first.workerMs;
    for (const end of seen.slice(1)) itemMs += end.itemMs;
  }
  return workerMs <= 0 ? undefined : { atItem, inAll, share: Math.min(1, itemMs / workerMs) };
}

interface SeenEnd {
  readonly watched: Watched;
  readonly itemMs: number;
}

function seenEnd({ item, exit }: AttemptEnd): SeenEnd | undefined {
  if (exit?.watched === undefined || exit.atMs === undefined || item?.beganMs === undefined) return undefined;
  return { watched: exit.watched, itemMs: Math.max(shortestItemMs, exit.atMs - item.beganMs) };
}

/**
 * The probability that kills at random moments hit one item at least this often: the upper tail of the binomial
 * distribution.
 */
export function chanceOf({ atItem, inAll, share }: OutsideEnds): number {
  if (share >= 1 || atItem <= 0) return 1;
  let logTerm = atItem * Math.log(share) + (inAll - atItem) * Math.log1p(-share);
  for (let i = 1; i <= atItem; i++) logTerm += Math.log((inAll - atItem + i) / i);
  let term = Math.exp(logTerm);
  let sum = 0;
  for (let hits = atItem; hits <= inAll; hits++) {
    sum += term;
    term *= ((inAll - hits) / (hits + 1)) * (share / (1 - share));
  }
  return Math.min(1, sum);
}
