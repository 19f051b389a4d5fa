import type { UnitAttempts } from "./attempts.ts";
import { exists, isCommitted, link, look, makeFolder, move, remove, type Steps } from "./file-step.ts";
import { isHeld, type Lease } from "./lease.ts";
import type { FencedAttempt } from "./lost-attempt.ts";
import type { RunPaths, Unit } from "./run-paths.ts";

/** The right to one attempt at one unit. */
export interface Claim {
  readonly unit: Unit;
  /** The attempt's number: it only ever grows, and an older attempt can never commit. */
  readonly epoch: number;
}

export interface ClaimContext {
  readonly paths: RunPaths;
  readonly lease: Lease;
  readonly isDead?: ((holder: Lease) => boolean) | undefined;
  /** Told of every attempt that is taken from its holder. */
  readonly onFenced?: ((fenced: FencedAttempt) => void) | undefined;
}

export interface ClaimOptions {
  /** A committed shard is claimed too, to take its place: the retry of failed items. */
  readonly replace?: boolean;
  /** The new attempt's number is above this: the attempt that made the shard to be replaced. */
  readonly above?: number;
}

/**
 * Claims a unit that nobody holds, or whose holder is gone. Making the attempt's folder is the claim: it fails if it
 * is there. Taking over is moving the old attempt's folder aside: its commit, which is a move of that same folder,
 * then finds nothing. `seen` may be old; what it says is checked again after the folder was made.
 */
export function* claimUnit(
  unit: Unit,
  seen: UnitAttempts,
  context: ClaimContext,
  { replace = false, above = 0 }: ClaimOptions = {},
): Steps<Claim | undefined> {
  const { paths, lease } = context;
  if (seen.active !== undefined && !(yield* fenceAttempt(unit, seen.active, context))) return undefined;
  const epoch = Math.max(seen.highest, above) + 1;
  const attempt = paths.attempt(unit, epoch);
  if ((yield* makeFolder(attempt)) === "exists") return undefined;
  // The order matters: whoever fenced this number and committed since removes the fenced folder after the commit.
  const overtaken =
    (yield* exists(paths.fenced(unit, epoch))) || (!replace && unit !== "merge" && (yield* isCommitted(unit)));
  if (overtaken) {
    yield* remove(attempt);
    return undefined;
  }
  // The lease is a second name of the worker's own file: renewing that one renews every lease it holds, and a claim
  // creates no file that the commit would have to delete.
  yield* link(paths.worker(lease.worker), paths.lease(unit, epoch));
  return { unit, epoch };
}

/** Takes the right to commit from an attempt whose holder is gone. Of several who try, one succeeds. */
export function* fenceAttempt(unit: Unit, epoch: number, context: ClaimContext): Steps<boolean> {
  const { paths, lease, isDead, onFenced } = context;
  // Between its claim and its lease an attempt has only its folder: that one's age counts then.
  const sight = (yield* look(paths.lease(unit, epoch))) ?? (yield* look(paths.attempt(unit, epoch)));
  if (sight === undefined || isHeld(sight, { ttlMs: lease.ttlMs, isDead })) return false;
  // The lease goes first. Were it to go last, a fencer killed in between would leave it behind, and its old holder, on
  // waking, might find it good for a folder that someone has made under the same name since.
  yield* remove(paths.lease(unit, epoch));
  const moved = yield* move(paths.attempt(unit, epoch), paths.fenced(unit, epoch));
  // This number was fenced before: the folder was made under an old view by someone who died before they withdrew.
  if (moved === "exists") yield* remove(paths.attempt(unit, epoch));
  if (moved === "moved") onFenced?.({ unit, epoch, sight });
  return moved !== "missing";
}
