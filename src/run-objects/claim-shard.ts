import type { ListedClaims, ObjectKeys } from "./object-keys.ts";
import { ageOf, create, type ObjectSteps, put, read } from "./object-step.ts";

/** The right to work on a shard. It is no right to commit: that is created, once. */
export interface ObjectClaim {
  readonly shard: number;
  readonly attempt: number;
}

export interface ObjectWorker {
  readonly keys: ObjectKeys;
  /** A name that no other worker ever has. */
  readonly worker: string;
  /** How long a silent worker keeps its shards, by the store's own clock. */
  readonly ttlMs: number;
}

/**
 * Claims a shard that no worker holds, or whose worker is gone, by creating the next attempt's object. `seen` may be old.
 * Called only for shards that this worker does not hold. Needs two requests for a free shard.
 */
export function* claimShard(
  shard: number,
  seen: ListedClaims,
  { keys, worker, ttlMs }: ObjectWorker,
): ObjectSteps<ObjectClaim | undefined> {
  if (seen.highest > 0 && !seen.isReleased) {
    const holder = holderIn(yield* read(keys.claim(shard, seen.highest)));
    // A claim of this worker that it does not know of: its creation was given up as lost, and arrived nevertheless.
    if (holder !== worker && (yield* isAlive(holder, keys.claim(shard, seen.highest), { keys, ttlMs })))
      return undefined;
  }
  const attempt = seen.highest + 1;
  if ((yield* create(keys.claim(shard, attempt), JSON.stringify({ worker }))).kind === "exists") return undefined;
  // What was seen may be from before the commit.
  return (yield* ageOf(keys.done(shard))) === undefined ? { shard, attempt } : undefined;
}

function* isAlive(
  holder: string | undefined,
  claim: string,
  { keys, ttlMs }: Pick<ObjectWorker, "keys" | "ttlMs">,
): ObjectSteps<boolean> {
  const ofWorker = holder === undefined ? undefined : yield* ageOf(keys.worker(holder));
  // A worker that has not written its heartbeat yet, or whose claim cannot be read: the age of the claim counts.
  const ageMs = ofWorker ?? (yield* ageOf(claim));
  return ageMs === undefined || ageMs <= ttlMs;
}

function holderIn(text: string | undefined): string | undefined {
  try {
    const { worker } = JSON.parse(text ?? "") as { worker?: unknown };
    return typeof worker === "string" ? worker : undefined;
  } catch {
    return undefined;
  }
}

/** Gives up an attempt, so that any worker can continue from its segments at once. */
export function* releaseShard({ shard, attempt }: ObjectClaim, { keys }: ObjectWorker): ObjectSteps<void> {
  yield* put(keys.released(shard, attempt), "");
}
