import { MillraceError } from "../shared/errors.ts";
import { type AttemptEnd, describeExit, type WorkerExit } from "../store/attempt-notes.ts";

/** What earlier attempts at a shard tell about its items. */
export interface CrashHistory {
  /** An earlier attempt ended without giving the shard back: each item is noted before it runs. */
  readonly isCareful: boolean;
  /** Why the item at this position must not run any more, and how often it was tried; undefined if it may. */
  verdict(position: number): Verdict | undefined;
  /** Whether an item was in a batch that ended a worker: it runs alone now. */
  mustStandAlone(position: number): boolean;
  /** How often a worker ended at this shard while none of its items ran. */
  readonly endsOutsideItems: number;
}

export interface Verdict {
  readonly error: MillraceError;
  readonly tries: number;
}

// These come from outside as a rule (an operator, a scheduler, the kernel out of memory), and the item that happened to
// run may be innocent: it is given another chance. A process that ends itself any other way leaves no doubt.
const outsideSignals = ["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP"];
const endsNeeded = { own: 1, outside: 2, unseen: 3 } as const;

/** Draws the conclusions from how the earlier attempts at a shard ended, oldest first. */
export function judgeCrashes(ends: readonly AttemptEnd[], { retries }: { retries: number }): CrashHistory {
  // What was before the shard was last given back is forgotten: whoever runs it again may have mended the cause.
  const crashes = ends.slice(ends.findLastIndex((end) => end.isReleased) + 1);
  const alone = new Map<number, AttemptEnd[]>();
  const batches: { from: number; to: number }[] = [];
  for (const end of crashes) {
    if (end.item === undefined) continue;
    const { position, count } = end.item;
    if (count === 1) alone.set(position, [...(alone.get(position) ?? []), end]);
    else batches.push({ from: position, to: position + count });
  }
  return {
    isCareful: crashes.length > 0,
    verdict(position) {
      const atItem = alone.get(position);
      return atItem === undefined ? undefined : judgeItem(atItem, retries);
    },
    mustStandAlone: (position) => batches.some(({ from, to }) => position >= from && position < to),
    endsOutsideItems: crashes.slice(1).filter((end) => end.item === undefined).length,
  };
}

function judgeItem(ends: readonly AttemptEnd[], retries: number): Verdict | undefined {
  const stuck = ends.filter(({ item }) => item?.stuckMs !== undefined);
  if (stuck.length > retries) return { error: timedOut(stuck[0]!.item!.stuckMs!), tries: stuck.length };
  const crashed = ends.filter(({ item }) => item?.stuckMs === undefined);
  const weight = crashed.reduce((sum, { exit }) => sum + 1 / endsNeeded[kindOf(exit)], 0);
  // Three thirds are a whole, whatever floating point says.
  return weight < 0.999 ? undefined : { error: crashedItem(crashed), tries: crashed.length };
}

function kindOf(exit: WorkerExit | undefined): keyof typeof endsNeeded {
  if (exit === undefined) return "unseen";
  return exit.signal !== undefined && outsideSignals.includes(exit.signal) ? "outside" : "own";
}

function timedOut(stuckMs: number): MillraceError {
  return new MillraceError("ITEM_TIMEOUT", `forward took more than ${stuckMs} ms and its worker had to be ended.`, {
    hint: "Raise itemTimeout, or find out why this item takes so long.",
  });
}

function crashedItem(ends: readonly AttemptEnd[]): MillraceError {
  const exit = ends.map((end) => end.exit).findLast((one) => one !== undefined);
  return new MillraceError("ITEM_CRASHED", `the worker ${describeExit(exit)} while this item ran`, {
    hint: "Run this item alone under a debugger, or leave it out.",
  });
}
