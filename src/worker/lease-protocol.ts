import { isSlowFolder } from "../run-folder/files/is-slow-folder.ts";
import { rewriteInRun } from "../run-folder/files/run-files.ts";
import type { Claimable, RunPaths } from "../run-folder/files/run-paths.ts";
import { isMissing } from "../run-folder/files/store-trouble.ts";
import { firstReport, reportText } from "../run-folder/files/worker-report.ts";
import { noteUnused } from "../run-folder/history/attempt-notes.ts";
import type { History } from "../run-folder/history/history.ts";
import { type KnownAttempts, noAttempts } from "../run-folder/lease/attempts.ts";
import { type Claim, type ClaimOptions, claimTarget } from "../run-folder/lease/claim.ts";
import { commitAttempt } from "../run-folder/lease/commit-attempt.ts";
import { type FileStep, takeSteps } from "../run-folder/lease/file-step.ts";
import type { Lease } from "../run-folder/lease/lease.ts";
import { describeLost, type FencedAttempt, noteLastMemory } from "../run-folder/lease/lost-attempt.ts";
import { dropAttempt, holdsAttempt, releaseAttempt } from "../run-folder/lease/release-attempt.ts";
import { takeFileStep } from "../run-folder/lease/take-file-step.ts";
import { ignoreErrors } from "../runtime/ignore-errors.ts";

export type ShardClaim = Claim & { readonly target: number };

/** The lease protocol on a real run folder, for one worker. */
export interface Protocol {
  /** Whether a shard is published and intact, and `isShardDone` of the runner is true for it. */
  isCommitted(shard: number): boolean | Promise<boolean>;
  claim(target: Claimable, seen?: KnownAttempts, options?: ClaimOptions): Promise<Claim | undefined>;
  commit(claim: ShardClaim, options?: { readonly replace?: boolean }): Promise<"committed" | "lost">;
  /** Whether the lease on a claim is still this worker's. */
  owns(claim: Claim): Promise<boolean>;
  /** Gives up the attempt. The next one continues from its checkpoint. */
  release(claim: Claim): Promise<void>;
  /** Gives up the attempt and removes its folder. */
  drop(claim: Claim): Promise<void>;
}

// A dozen calls of 50 ms, with a margin.
const slowLeaseWithinMs = 3000;

export function openProtocol(
  paths: RunPaths,
  lease: Lease,
  {
    history,
    isCommitted,
  }: { readonly history: History; readonly isCommitted: (shard: number) => boolean | Promise<boolean> },
): Protocol {
  // If the record cannot be written, the worker claims the shard nevertheless.
  const onFenced = (fenced: FencedAttempt) =>
    ignoreErrors(() => {
      noteLastMemory(paths, fenced);
      const record = describeLost(paths, fenced);
      if (record !== undefined) history.add(record);
    });
  // A shard whose attempts are all unused is run as if it was new; without the note its items are noted one by one.
  const onUnused = ({ target, attempt }: Claim) => ignoreErrors(() => noteUnused(paths.fenced(target, attempt)));
  const leaseWithinMs = isSlowFolder(paths.root) ? slowLeaseWithinMs : undefined;
  const context = { paths, lease, leaseWithinMs, onFenced, onUnused };
  const stepContext = { paths, isCommitted };
  const take = (step: FileStep) => {
    try {
      return takeFileStep(step, stepContext);
    } catch (error) {
      if (step.do !== "link" || !isMissing(error)) throw error;
      // Another process took this worker for dead and removed its report. It was only paused, so it writes its report again.
      rewriteInRun(paths.root, step.from, reportText(firstReport(lease)));
      return takeFileStep(step, stepContext);
    }
  };
  return {
    isCommitted,
    claim: (target, seen = noAttempts, options = {}) => takeSteps(claimTarget(target, seen, context, options), take),
    commit: (claim, options = {}) => takeSteps(commitAttempt(claim, context, options), take),
    owns: (claim) => takeSteps(holdsAttempt(claim, context), take),
    release: (claim) => takeSteps(releaseAttempt(claim, context), take),
    drop: (claim) => takeSteps(dropAttempt(claim, context), take),
  };
}
