import { MillraceError } from "../../errors/errors.ts";
import { type AttemptEnd, describeExit, isSelfInflicted } from "../../run-folder/history/attempt-notes.ts";
import { chanceOf, compareOutsideEnds } from "./outside-ends.ts";

/** What the ends of earlier attempts show about a shard's items. */
export interface CrashHistory {
  /** An earlier attempt ended without releasing the shard: each item is noted before it runs. */
  readonly isCareful: boolean;
  /** Why the item at this position must not run any more, and how often it was tried. Undefined if it may run. */
  verdict(position: number): Verdict | undefined;
  /** Whether an item was in a batch that ended a worker, so that it must run alone. */
  mustRunAlone(position: number): boolean;
  /** How often a worker crashed at this shard while none of its items ran. */
  readonly endsOutsideItems: number;
}

export interface Verdict {
  readonly error: MillraceError;
  readonly tries: number;
}

// Without evidence, a batch is split only after this many kills: its items may have other results when they run alone.
const outsideEndsOfBatch = 3;
// Without other evidence an item is blamed after at least this many kills, if chance explains them with less than this
// probability.
const minOutsideEnds = 3;
const maxChance = 1e-9;

/** Judges items by the ends of the earlier attempts at their shard, oldest first. */
export function judgeCrashes(ends: readonly AttemptEnd[], { retries }: { retries: number }): CrashHistory {
  // Releasing a shard clears its crash history: the cause may have been removed since.
  const crashes = ends.slice(ends.findLastIndex((end) => end.isReleased) + 1);
  const alone = new Map<number, AttemptEnd[]>();
  const batches: { from: number; to: number; weight: number }[] = [];
  for (const end of crashes) {
    if (end.item === undefined) continue;
    const { position, count, stuckMs } = end.item;
    if (count === 1) alone.set(position, [...(alone.get(position) ?? []), end]);
    else {
      const weight = stuckMs !== undefined || weightOf(end) > 0 ? 1 : 1 / outsideEndsOfBatch;
      batches.push({ from: position, to: position + count, weight });
    }
  }
  return {
    isCareful: crashes.length > 0,
    verdict(position) {
      const atItem = alone.get(position);
      return atItem === undefined ? undefined : judgeItem(atItem, retries);
    },
    mustRunAlone(position) {
      const around = batches.filter(({ from, to }) => position >= from && position < to);
      return isEnough(around.reduce((sum, { weight }) => sum + weight, 0));
    },
    // The first attempt noted no items, so it is not known where it ended. A shard that was idle while its worker ran
    // others is not the cause.
    endsOutsideItems: crashes
      .slice(1)
      .filter(({ item, isIdle, exit }) => item === undefined && isIdle !== true && isSelfInflicted(exit)).length,
  };
}

// Three times 1/3 must be enough, in spite of rounding.
function isEnough(weight: number): boolean {
  return weight > 0.999;
}

function judgeItem(ends: readonly AttemptEnd[], retries: number): Verdict | undefined {
  const stuck = ends.filter(({ item }) => item?.stuckMs !== undefined);
  if (stuck.length > retries) return { error: timedOut(stuck[0]!.item!.stuckMs!), tries: stuck.length };
  const crashed = ends.filter(({ item }) => item?.stuckMs === undefined);
  const evidence = evidenceAgainst(crashed);
  return evidence === undefined ? undefined : { error: crashedItem(crashed, evidence), tries: crashed.length };
}

/** The evidence against an item, in words; undefined if it is not enough. */
function evidenceAgainst(ends: readonly AttemptEnd[]): string | undefined {
  const strongEnds = ends.filter((end) => weightOf(end) > 0);
  if (isEnough(strongEnds.reduce((sum, end) => sum + weightOf(end), 0))) return describeEnd(strongEnds.at(-1)!);
  if (ends.length < minOutsideEnds) return undefined;
  const compared = compareOutsideEnds(ends);
  if (compared === undefined || chanceOf(compared) >= maxChance) return undefined;
  const share = `${(100 * compared.share).toPrecision(2)} %`;
  return `: ${ends.length} workers were ended at it, although it took ${share} of the workers' time`;
}

/** The weight of one worker's end as evidence against the item that ran. The item is blamed when the sum reaches 1. */
function weightOf({ item, exit }: AttemptEnd): number {
  if (isSelfInflicted(exit)) return 1;
  // Another program of the host may have used the memory.
  if (exit?.outOfMemory === "host") return 1 / 2;
  return exit?.memory !== undefined && hasFilledMemory(exit.memory, item?.rss) ? 1 / 2 : 0;
}

const nearLimit = 0.9;
const grownBy = 0.25;

/** Whether a worker was near its memory limit at its last report, and got there while the item ran. */
function hasFilledMemory({ rss, limit }: { rss: number; limit: number }, rssBefore: number | undefined): boolean {
  return rssBefore !== undefined && rss >= nearLimit * limit && rss - rssBefore >= grownBy * limit;
}

function describeEnd({ item, exit }: AttemptEnd): string {
  if (exit?.outOfMemory === "cgroup") return ": the kernel ended it because the memory limit of its cgroup was reached";
  if (exit?.outOfMemory === "host") return ": the kernel ended it because the host was out of memory";
  if (isSelfInflicted(exit) || exit?.memory === undefined) return "";
  const { rss, limit } = exit.memory;
  return `: its memory had grown from ${megabytes(item?.rss ?? 0)} to ${megabytes(rss)} of ${megabytes(limit)} MB`;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 2 ** 20);
}

function timedOut(stuckMs: number): MillraceError {
  return new MillraceError("ITEM_TIMEOUT", `forward took more than ${stuckMs} ms and its worker had to be ended.`, {
    hint: "Raise itemTimeout, or find out why this item takes so long.",
  });
}

function crashedItem(ends: readonly AttemptEnd[], evidence: string): MillraceError {
  const exit = ends.map((end) => end.exit).findLast((one) => one !== undefined);
  return new MillraceError("ITEM_CRASHED", `the worker ${describeExit(exit)} while this item ran${evidence}`, {
    hint: "Run this item alone under a debugger, or leave it out.",
  });
}
