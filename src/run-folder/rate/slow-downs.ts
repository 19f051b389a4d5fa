import type { RateFiles } from "./rate-files.ts";
import type { CheckedRateLimit } from "./rate-limit.ts";

const decrease = 0.7;
const minFactor = 0.01;
/** The share of the full rate that is added again in each slot. */
const recovery = 0.02;
// Tokens that were taken before a slow-down are used up after this many slots. Errors until then do not count.
const reactionSlots = 2;

const fileName = /^(\d{1,12})\.slow$/;

/** The slot of the last slow-down of a run, and the share of the rate that was left after it. */
interface SlowDown {
  readonly slot: number;
  readonly factor: number;
}

/** How far the rate of a run is reduced, for all its workers. */
export interface SlowDowns {
  /** Reads the newest slow-down among these file names. */
  look(names: readonly string[]): void;
  /** The share of the full rate in a slot. */
  factorAt(slot: number): number;
  /** Reduces the rate from this slot on, unless that was done less than `reactionSlots` ago. */
  add(slot: number): void;
  /** Whether this is the file of the last slow-down. */
  isCurrent(name: string): boolean;
}

export function openSlowDowns(files: RateFiles, { adaptive }: CheckedRateLimit): SlowDowns {
  let last: SlowDown | undefined;
  const slowDowns: SlowDowns = {
    look(names) {
      if (!adaptive) return;
      for (const name of names) {
        const slot = Number(fileName.exec(name)?.[1] ?? -1);
        if (slot <= (last?.slot ?? -1)) continue;
        const factor = parseFactor(files.read(name));
        if (factor !== undefined) last = { slot, factor };
      }
    },
    factorAt: (slot) =>
      last === undefined || slot < last.slot ? 1 : Math.min(1, last.factor + (slot - last.slot) * recovery),
    add(slot) {
      if (isTooSoon(slot)) return;
      slowDowns.look(files.list());
      if (isTooSoon(slot)) return;
      const factor = Math.max(minFactor, slowDowns.factorAt(slot) * decrease);
      if (files.create(`${slot}.slow`, `${JSON.stringify({ factor })}\n`) !== undefined) last = { slot, factor };
    },
    isCurrent: (name) => Number(fileName.exec(name)?.[1]) === last?.slot,
  };
  return slowDowns;

  function isTooSoon(slot: number): boolean {
    return last !== undefined && Math.abs(slot - last.slot) < reactionSlots;
  }
}

function parseFactor(text: string | undefined): number | undefined {
  try {
    const { factor } = JSON.parse(text ?? "") as { factor?: unknown };
    return typeof factor === "number" && factor >= minFactor && factor <= 1 ? factor : undefined;
  } catch {
    return undefined;
  }
}
