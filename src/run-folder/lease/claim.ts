import type { Claimable, RunPaths } from "../files/run-paths.ts";
import type { KnownAttempts } from "./attempts.ts";
import { exists, isCommitted, link, makeFolder, move, readFileStep, remove, type Steps } from "./file-step.ts";
import { isHeld, type Lease } from "./lease.ts";
import type { FencedAttempt } from "./lost-attempt.ts";

/** The right to one attempt at a shard or at the merge. */
export interface Claim {
  readonly target: Claimable;
  /** The attempt's number: it only ever grows, and an older attempt can never commit. */
  readonly attempt: number;
}

export interface ClaimContext {
  readonly paths: RunPaths;
  readonly lease: Lease;
  readonly isDead?: ((holder: Lease) => boolean) | undefined;
  /** Called for every attempt that is taken from its holder. */
  readonly onFenced?: ((fenced: FencedAttempt) => void) | undefined;
}

export interface ClaimOptions {
  /** A committed shard may be claimed too, to be replaced: the retry of failed items. */
  readonly replace?: boolean;
  /** The new attempt's number is above this: the attempt that made the shard to be replaced. */
  readonly above?: number;
}

/**
 * Claims a shard (or the merge) that has no holder, or whose holder is gone. Making the attempt's folder is the claim:
 * it fails if it is there. Taking over is moving the old attempt's folder aside: its commit, which is a move of that
 * same folder, then finds nothing. `seen` may be old; what it says is checked again after the folder was made.
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
  // The lease is a second name of the worker's own file: renewing that one renews every lease it holds, and a claim
  // creates no file that the commit would have to delete.
  yield* link(paths.worker(lease.worker), paths.lease(target, attempt));
  return { target, attempt };
}

/** Takes the right to commit from an attempt whose holder is gone. Of several workers that try, one succeeds. */
export function* fenceAttempt(target: Claimable, attempt: number, context: ClaimContext): Steps<boolean> {
  const { paths, lease, isDead, onFenced } = context;
  // Between its claim and its lease an attempt has only its folder: then the age of the folder counts.
  const snapshot =
    (yield* readFileStep(paths.lease(target, attempt))) ?? (yield* readFileStep(paths.attempt(target, attempt)));
  if (snapshot === undefined || isHeld(snapshot, { ttlMs: lease.ttlMs, isDead })) return false;
  // The lease is removed first. If it were removed last, a worker killed in between would leave it behind, and its old
  // holder, on waking, could use it for a folder that another worker has made under the same name since.
  yield* remove(paths.lease(target, attempt));
  const moved = yield* move(paths.attempt(target, attempt), paths.fenced(target, attempt));
  // This number was fenced before: a worker with an old view made the folder and died before it withdrew.
  if (moved === "exists") yield* remove(paths.attempt(target, attempt));
  if (moved === "moved") onFenced?.({ target, attempt, snapshot });
  return moved !== "missing";
}
