import type { Claimable, RunPaths } from "../files/run-paths.ts";
import type { KnownAttempts } from "./attempts.ts";
import { exists, isCommitted, link, makeFolder, move, readFileStep, remove, type Steps, wait } from "./file-step.ts";
import { judgeHolder, type Lease } from "./lease.ts";
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
  /** A worker that has made its attempt's folder makes its lease within this time. Default: 100 ms. */
  readonly leaseWithinMs?: number | undefined;
  readonly isDead?: ((holder: Lease) => boolean) | undefined;
  /** Called for an attempt that was put aside before a worker had begun. */
  readonly onUnused?: ((claim: Claim) => void) | undefined;
  /** Called for each attempt that is fenced. */
  readonly onFenced?: ((fenced: FencedAttempt) => void) | undefined;
}

export interface ClaimOptions {
  /** Claims a committed shard too, to replace it: for the retry of failed items. */
  readonly replace?: boolean;
  /** The number of the attempt that made the shard to be replaced; the new attempt gets a higher one. */
  readonly above?: number;
}

/**
 * Claims a shard (or the merge) that has no holder, or whose holder is gone. Making the attempt's folder is the claim:
 * it fails if the folder exists. An old attempt is fenced first: its folder is moved, so its commit, which is a move of
 * the same folder, fails. `seen` may be outdated; it is checked again after the folder was made.
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
  const made = yield* makeFolder(folder);
  if (made === "exists") return undefined;
  if (made === "unsure") {
    if (!(yield* putAside({ target, attempt }, context, replace))) return undefined;
    return yield* claimTarget(target, { ...seen, active: undefined, highest: attempt }, context, { replace, above });
  }
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

const usualLeaseWithinMs = 100;

/**
 * Puts aside a folder that this worker or another one has made: a server that gets a call twice says that the folder is
 * there already. With a lease it is another worker's. Without one it is put aside, and the next number is tried. A worker
 * that was about to make its lease loses the attempt, as to one that takes over.
 */
function* putAside({ target, attempt }: Claim, context: ClaimContext, replace: boolean): Steps<boolean> {
  const { paths, onUnused, leaseWithinMs = usualLeaseWithinMs } = context;
  yield* wait(leaseWithinMs);
  if (yield* exists(paths.lease(target, attempt))) return false;
  if (!replace && target !== "merge" && (yield* isCommitted(target))) {
    yield* remove(paths.attempt(target, attempt));
    return false;
  }
  const moved = yield* move(paths.attempt(target, attempt), paths.fenced(target, attempt));
  if (moved === "exists") yield* remove(paths.attempt(target, attempt));
  if (moved === "missing" && !(yield* exists(paths.fenced(target, attempt)))) return false;
  onUnused?.({ target, attempt });
  return true;
}

/** Takes the right to commit from an attempt whose holder is gone. If several workers try, one succeeds. */
export function* fenceAttempt(target: Claimable, attempt: number, context: ClaimContext): Steps<boolean> {
  const { paths, lease, isDead, onFenced } = context;
  // An attempt that was just claimed has a folder and no lease yet: then the age of the folder counts.
  const snapshot =
    (yield* readFileStep(paths.lease(target, attempt))) ?? (yield* readFileStep(paths.attempt(target, attempt)));
  if (snapshot === undefined || judgeHolder(snapshot, { ttlMs: lease.ttlMs, isDead }) === "held") return false;
  // The lease is removed first. Otherwise a worker killed between the two steps would leave the lease, and its old
  // holder, if it was only paused, could use it for a folder that another worker has made under the same name.
  yield* remove(paths.lease(target, attempt));
  const moved = yield* move(paths.attempt(target, attempt), paths.fenced(target, attempt));
  // This number was fenced before: a worker with outdated information made the folder and died before it removed it.
  if (moved === "exists") yield* remove(paths.attempt(target, attempt));
  if (moved === "moved") onFenced?.({ target, attempt, snapshot });
  // Moved by this call, whose answer was lost, or by another worker: the next number decides between them.
  return moved !== "missing" || (yield* exists(paths.fenced(target, attempt)));
}
