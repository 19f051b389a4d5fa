import type { Claimable } from "../run-folder/files/run-paths.ts";
import { type KnownAttempts, noAttempts } from "../run-folder/lease/attempts.ts";
import { type PickOptions, pickShards, type ShardPicker } from "./pick-shards.ts";

/** The dependencies of the loop: a run folder, a clock, and a function that runs a shard. */
export interface ClaimPort<Claim> extends PickOptions {
  /** Whether each call to the file system takes long. */
  readonly isSlow?: boolean;
  /** The shards that are not committed. */
  listOpen(): Promise<readonly number[]>;
  /** The attempts that exist at this moment. */
  attempts(): Pick<ReadonlyMap<Claimable, KnownAttempts>, "get">;
  isCommitted(shard: number): boolean | Promise<boolean>;
  claim(shard: number, seen: KnownAttempts): Promise<Claim | undefined>;
  /** Runs a claimed shard until it is committed, lost or left. */
  run(claim: Claim, seen: KnownAttempts): Promise<void>;
  /** Whether the worker must leave. */
  mustLeave(): boolean;
  wait(ms: number): Promise<void>;
}

type Attempts = ReturnType<ClaimPort<unknown>["attempts"]>;

// After this many claims in a row that other workers won, the list of open shards is outdated. It is read again. Where
// calls are slow, a list costs less than a few claims.
const maxMisses = 8;
const maxSlowMisses = 2;
// Up to this many held shards are all checked each time. Of more, a random sample is checked.
const maxCheckedHolders = 16;
const sampleSize = 4;

/**
 * Claims and runs shards until none is left, or the worker must leave. `open`: the shards that were open at the last scan.
 */
export async function claimLoop<Claim>(open: readonly number[], port: ClaimPort<Claim>): Promise<"complete" | "left"> {
  let left = open;
  let waited = 0;
  while (left.length > 0) {
    if (port.mustLeave()) return "left";
    const attempts = port.attempts();
    const isHeld = (id: number) => attempts.get(id)?.active !== undefined;
    const pass = await runInOrder(left, { attempts, isHeld }, port);
    if (pass !== "nothing") waited = 0;
    else waited = (await watchHeld(left.filter(isHeld), { attempts, waited }, port)) ?? 0;
    left = await port.listOpen();
  }
  return "complete";
}

// A shard that was begun this often may hold an item that crashes workers.
const minAttemptsOfSuspect = 2;

/**
 * Shards at which workers have ended before come last: a single worker then completes the others first, and that it
 * survives these is evidence against the item at which it ends.
 */
async function runInOrder<Claim>(
  ids: readonly number[],
  { attempts, isHeld }: { readonly attempts: Attempts; readonly isHeld: (id: number) => boolean },
  port: ClaimPort<Claim>,
): Promise<"something" | "nothing" | "outdated"> {
  const isSuspect = (id: number) => (attempts.get(id)?.fenced.length ?? 0) >= minAttemptsOfSuspect;
  const suspects = ids.filter(isSuspect);
  if (suspects.length === 0) return runFree(pickShards(ids, isHeld, port), attempts, port);
  const others = ids.filter((id) => !isSuspect(id));
  const pass = await runFree(pickShards(others, isHeld, port), attempts, port);
  return pass === "nothing" ? runFree(pickShards(suspects, isHeld, port), attempts, port) : pass;
}

/** Runs the shards that no worker is known to hold. `outdated`: other workers won too many claims. */
async function runFree<Claim>(
  picker: ShardPicker,
  attempts: Attempts,
  port: ClaimPort<Claim>,
): Promise<"something" | "nothing" | "outdated"> {
  let hasRun = false;
  let misses = 0;
  for (let id = picker.next(); id !== undefined && !port.mustLeave(); id = picker.next()) {
    const seen = attempts.get(id) ?? noAttempts;
    // Other workers may have committed many shards since the list was made. This check is cheaper than a failing claim.
    const isTaken = misses > 0 && (await port.isCommitted(id));
    const claim = isTaken ? undefined : await port.claim(id, seen);
    if (claim === undefined) {
      picker.miss();
      if (++misses >= (port.isSlow ? maxSlowMisses : maxMisses) && port.isSpread) return "outdated";
      continue;
    }
    // One success does not make the list current: the other workers are still ahead.
    if (port.isSpread) misses = Math.min(misses, 1);
    hasRun = true;
    await port.run(claim, seen);
  }
  return hasRun ? "something" : "nothing";
}

/**
 * Waits while other workers hold the last shards, because one of the holders may die. Returns how often it has waited
 * when the folder should be scanned again, or undefined if it has run a shard.
 */
async function watchHeld<Claim>(
  held: readonly number[],
  { attempts, waited }: { readonly attempts: Attempts; readonly waited: number },
  port: ClaimPort<Claim>,
): Promise<number | undefined> {
  for (let times = waited; ; times++) {
    const sample =
      held.length <= maxCheckedHolders ? held : Array.from({ length: sampleSize }, () => oneOf(held, port));
    let committed = 0;
    for (const id of sample) {
      if (port.mustLeave()) return times;
      const seen = attempts.get(id) ?? noAttempts;
      const isDone = await port.isCommitted(id);
      const claim = isDone ? undefined : await port.claim(id, seen);
      if (claim !== undefined) {
        await port.run(claim, seen);
        return undefined;
      }
      if (isDone) committed++;
    }
    await port.wait(waitMs(times, held.length));
    // If all shards of the sample are committed, most others are too.
    if (held.length <= maxCheckedHolders || committed === sample.length || port.mustLeave()) return times + 1;
  }
}

// If many shards are held, workers wait longer, so that their checks do not slow down the others.
function waitMs(times: number, holders: number): number {
  const firstMs = 20 * Math.max(1, holders / maxCheckedHolders);
  const maxMs = Math.min(60_000, Math.max(1000, 50 * holders));
  return Math.min(maxMs, firstMs * 2 ** Math.min(times, 30));
}

function oneOf(ids: readonly number[], { random }: PickOptions): number {
  return ids[Math.floor(random() * ids.length)]!;
}
