import { noAttempts, type UnitAttempts } from "../store/attempts.ts";
import type { Unit } from "../store/run-paths.ts";
import { type PickOptions, pickShards, type ShardPicker } from "./pick-shards.ts";

/** What the loop needs of the world: a run folder, a clock, and someone to do the work. */
export interface ClaimPort<Claim> extends PickOptions {
  /** The shards that are still to do. */
  look(): Promise<readonly number[]>;
  /** Who is at what, at this moment. */
  attempts(): Pick<ReadonlyMap<Unit, UnitAttempts>, "get">;
  isCommitted(shard: number): boolean | Promise<boolean>;
  claim(shard: number, seen: UnitAttempts): Promise<Claim | undefined>;
  /** Runs a claimed shard to its end, whatever that is. */
  run(claim: Claim, seen: UnitAttempts): Promise<void>;
  /** Whether to leave. */
  isOver(): boolean;
  wait(ms: number): Promise<void>;
}

type Attempts = ReturnType<ClaimPort<unknown>["attempts"]>;

// So many shards in a row that others were quicker to take: what this worker knows is too old, and it looks again.
const mostMisses = 8;
// Of so few holders each is looked at every time; of more, a few, chosen at random: others look too.
const fewHolders = 16;
const heldLookedAt = 4;

/** Claims and runs shards until none is left, or it is time to leave. `open` is what was seen to be open. */
export async function claimLoop<Claim>(open: readonly number[], port: ClaimPort<Claim>): Promise<"complete" | "left"> {
  let left = open;
  let waited = 0;
  while (left.length > 0) {
    if (port.isOver()) return "left";
    const attempts = port.attempts();
    const isHeld = (id: number) => attempts.get(id)?.active !== undefined;
    const pass = await runInOrder(left, { attempts, isHeld }, port);
    if (pass !== "nothing") waited = 0;
    else waited = (await watchHeld(left.filter(isHeld), { attempts, waited }, port)) ?? 0;
    left = await port.look();
  }
  return "complete";
}

// A shard that was begun this often may hold an item that ends workers.
const attemptsOfTroubled = 2;

/**
 * Shards at which workers have ended before come last. So a single worker makes progress elsewhere, and that it lives
 * there tells more about the item at which it does not.
 */
async function runInOrder<Claim>(
  ids: readonly number[],
  { attempts, isHeld }: { readonly attempts: Attempts; readonly isHeld: (id: number) => boolean },
  port: ClaimPort<Claim>,
): Promise<"something" | "nothing" | "outdated"> {
  const isTroubled = (id: number) => (attempts.get(id)?.fenced.length ?? 0) >= attemptsOfTroubled;
  const troubled = ids.filter(isTroubled);
  if (troubled.length === 0) return runFree(pickShards(ids, isHeld, port), attempts, port);
  const others = ids.filter((id) => !isTroubled(id));
  const pass = await runFree(pickShards(others, isHeld, port), attempts, port);
  return pass === "nothing" ? runFree(pickShards(troubled, isHeld, port), attempts, port) : pass;
}

/** Runs the shards that nobody holds, as far as was seen. `outdated`: others were quicker too often. */
async function runFree<Claim>(
  picker: ShardPicker,
  attempts: Attempts,
  port: ClaimPort<Claim>,
): Promise<"something" | "nothing" | "outdated"> {
  let hasRun = false;
  let misses = 0;
  for (let id = picker.next(); id !== undefined && !port.isOver(); id = picker.next()) {
    const seen = attempts.get(id) ?? noAttempts;
    // Others may have committed much since the list was made; asking is cheaper than a claim that fails.
    const isTaken = misses > 0 && (await port.isCommitted(id));
    const claim = isTaken ? undefined : await port.claim(id, seen);
    if (claim === undefined) {
      picker.miss();
      if (++misses >= mostMisses && port.isSpread) return "outdated";
      continue;
    }
    // Those who are quick at one shard are so at the next: what is known gets no younger by a success.
    if (port.isSpread) misses = Math.min(misses, 1);
    hasRun = true;
    await port.run(claim, seen);
  }
  return hasRun ? "something" : "nothing";
}

/**
 * While others hold the last shards, a worker waits for them: one of the holders may die. Answers how often it has waited
 * once it is worth looking at the folder again; undefined where it has run a shard.
 */
async function watchHeld<Claim>(
  held: readonly number[],
  { attempts, waited }: { readonly attempts: Attempts; readonly waited: number },
  port: ClaimPort<Claim>,
): Promise<number | undefined> {
  for (let times = waited; ; times++) {
    const sample = held.length <= fewHolders ? held : Array.from({ length: heldLookedAt }, () => oneOf(held, port));
    let committed = 0;
    for (const id of sample) {
      if (port.isOver()) return times;
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
    // Of many, all that were chosen are done: then most are.
    if (held.length <= fewHolders || committed === sample.length || port.isOver()) return times + 1;
  }
}

// Many wait longer, so that their looking does not hold up those who work.
function waitMs(times: number, holders: number): number {
  const firstMs = 20 * Math.max(1, holders / fewHolders);
  const longestMs = Math.min(60_000, Math.max(1000, 50 * holders));
  return Math.min(longestMs, firstMs * 2 ** Math.min(times, 30));
}

function oneOf(ids: readonly number[], { random }: PickOptions): number {
  return ids[Math.floor(random() * ids.length)]!;
}
