import type { Claim, ClaimContext } from "./claim.ts";
import { isSameFile, move, readFileStep, remove, type Steps } from "./file-step.ts";

/**
 * Whether the lease of an attempt is still a link to this worker's report. The existence of the folder proves nothing:
 * attempt numbers can be used again after a shard was discarded.
 */
export function* ownsLease({ target, attempt }: Claim, { paths, lease }: ClaimContext): Steps<boolean> {
  return yield* isSameFile(paths.lease(target, attempt), paths.worker(lease.worker));
}

/** Whether an attempt is still this worker's: without its folder it has nothing to commit. */
export function* holdsAttempt(claim: Claim, context: ClaimContext): Steps<boolean> {
  if (!(yield* ownsLease(claim, context))) return false;
  // Opened: where it was moved by another host, a cache may still show it.
  return (yield* readFileStep(context.paths.attempt(claim.target, claim.attempt))) !== undefined;
}

/** Gives up an attempt so that any worker can continue from its checkpoint at once. */
export function* releaseAttempt(claim: Claim, context: ClaimContext): Steps<void> {
  if (!(yield* ownsLease(claim, context))) return;
  const { paths } = context;
  yield* remove(paths.lease(claim.target, claim.attempt));
  yield* move(paths.attempt(claim.target, claim.attempt), paths.fenced(claim.target, claim.attempt));
}

/** Gives up an attempt and removes its folder. */
export function* dropAttempt(claim: Claim, context: ClaimContext): Steps<void> {
  if (!(yield* ownsLease(claim, context))) return;
  const { paths } = context;
  // The lease is removed first: without the folder, another worker may use the same number, and so the same lease name.
  yield* remove(paths.lease(claim.target, claim.attempt));
  yield* remove(paths.attempt(claim.target, claim.attempt));
}
