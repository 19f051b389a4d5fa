import type { Claim, ClaimContext } from "./claim-unit.ts";
import { isSameFile, move, remove, type Steps } from "./file-step.ts";

/**
 * Whether the lease on an attempt is still a name of this worker's own file. A number can come back after a shard was
 * discarded and begun anew, so the folder alone does not tell.
 */
export function* ownsLease({ unit, epoch }: Claim, { paths, lease }: ClaimContext): Steps<boolean> {
  return yield* isSameFile(paths.lease(unit, epoch), paths.worker(lease.worker));
}

/** Gives an attempt up so that anyone may go on from its checkpoint at once. */
export function* releaseAttempt(claim: Claim, context: ClaimContext): Steps<void> {
  if (!(yield* ownsLease(claim, context))) return;
  const { paths } = context;
  yield* remove(paths.lease(claim.unit, claim.epoch));
  yield* move(paths.attempt(claim.unit, claim.epoch), paths.fenced(claim.unit, claim.epoch));
}

/** Gives an attempt up that leaves nothing to go on from. */
export function* dropAttempt(claim: Claim, context: ClaimContext): Steps<void> {
  if (!(yield* ownsLease(claim, context))) return;
  const { paths } = context;
  // The lease goes first, as everywhere: once the folder is gone, the number and the lease's name may be another's.
  yield* remove(paths.lease(claim.unit, claim.epoch));
  yield* remove(paths.attempt(claim.unit, claim.epoch));
}
