import type { Claimable, RunPaths } from "../files/run-paths.ts";
import type { KnownAttempts } from "./attempts.ts";
import { exists, isCommitted, link, makeFolder, move, readFileStep, remove, type Steps } from "./file-step.ts";
import { isHeld, type Lease } from "./lease.ts";
import type { FencedAttempt } from "./lost-attempt.ts";

/** The right to one attempt at a shard or at the merge. */
export interface Claim {
  readonly target: Claimable;
  /** The number of the attempt. It only grows; an older attempt can never commit. */
  readonly attempt: number;
}

export interface ClaimContext {
  readonly paths: RunPaths;
  readonly lease: Lease;
  readonly isDead?: ((holder: Lease) => boolean) | undefined;
  /** Called for each attempt that is fenced. */
  readonly onFenced?: ((fenced: FencedAttempt) => void) | undefined;
}

export interface ClaimOptions {
  /** Claims a committed shard too, to replace it: for the retry of failed items. */
  readonly replace?: boolean;
  /** The number of the attempt that made the shard to be replaced; the new attempt gets a higher one. */
  readonly above?: number;
}

/** Claims a shard (or the merge) that has no holder, or whose holder is gone. Making the attempt's folder is the claim: it fails if the folder exists. An old attempt is fenced first: its folder is moved, so its commit, which is a move of the same folder, fails. `seen` may be outdated; it is checked again after the folder was made.
 */
export function* claimTarget(
  target: Claimable,
  seen: KnownAttempts,
  context: ClaimContext,
  { replace = false, above = 0 }: ClaimOptions = {},
): Steps<Claim | undefined> {
  const { paths, lease } = context;
  if (seen.active !== undefined && !(yield* fenceAttempt(target, seen.active, context))) return undefined;
  const attempt = Math.max(seen.highest, above) + 1;
  const folder = paths.attempt(target, attempt);
  if ((yield* makeFolder(folder)) === "exists") return undefined;
  // The order matters: a worker that fenced this number and has committed removes the fenced folder after the commit.
  const overtaken =
    (yield* exists(paths.fenced(target, attempt))) || (!replace && target !== "merge" && (yield* isCommitted(target)));
  if (overtaken) {
    yield* remove(folder);
    return undefined;
  }
  // The lease is a hard link to the report of the worker: renewing the report renews all its leases, and a claim writes
  // no file of its own.
  yield* link(paths.worker(lease.worker), paths.lease(target, attempt));
  return { target, attempt };
}

/** Takes the right to commit from an attempt whose holder is gone. If several workers try, one succeeds. */
export function* fenceAttempt(target: Claimable, attempt: number, context: ClaimContext): Steps<boolean> {
  const { paths, lease, isDead, onFenced } = context;
  // An attempt that was just claimed has a folder and no lease yet: then the age of the folder counts.
  const snapshot =
    (yield* readFileStep(paths.lease(target, attempt))) ?? (yield* readFileStep(paths.attempt(target, attempt)));
  if (snapshot === undefined || isHeld(snapshot, { ttlMs: lease.ttlMs, isDead })) return false;
  // The lease is removed first. Otherwise a worker killed between the two steps would leave the lease, and its old
  // holder, if it was only paused, could use it for a folder that another worker has made under the same name.
  yield* remove(paths.lease(target, attempt));
  const moved = yield* move(paths.attempt(target, attempt), paths.fenced(target, attempt));
  // This number was fenced before: a worker with outdated information made the folder and died before it removed it.
  if (moved === "exists") yield* remove(paths.attempt(target, attempt));
  if (moved === "moved") onFenced?.({ target, attempt, snapshot });
  return moved !== "missing";
}
