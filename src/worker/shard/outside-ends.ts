import type { AttemptEnd, Watched } from "../../run-folder/history/attempt-notes.ts";

/** How often workers were killed from outside at one item, and how often in total in the same time. */
export interface OutsideEnds {
  /** Ends while the item ran. */
  readonly atItem: number;
  /** All ends of workers in the same time. */
  readonly inAll: number;
  /** The share of all workers' time that the item took. */
  readonly share: number;
}

// The end of a worker is noticed with about this delay, so no item counts as shorter.
const minItemMs = 20;

/**
 * Compares the ends at an item with the time that the item took. For each supervisor only the time between the first
 * and the last end at the item counts, because kills may come in bursts. The first end starts that time and is not
 * counted.
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
  return { watched: exit.watched, itemMs: Math.max(minItemMs, exit.atMs - item.beganMs) };
}

/**
 * The probability that kills at random moments hit one item at least this often (upper tail of the binomial distribution).
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
