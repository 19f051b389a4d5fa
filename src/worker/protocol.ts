import { writeFileSync } from "node:fs";
import { quietly } from "../shared/quietly.ts";
import { noAttempts, type UnitAttempts } from "../store/attempts.ts";
import { type Claim, type ClaimOptions, claimUnit } from "../store/claim-unit.ts";
import { commitAttempt } from "../store/commit-attempt.ts";
import { isMissing } from "../store/durable-files.ts";
import { type FileStep, takeSteps } from "../store/file-step.ts";
import type { History } from "../store/history.ts";
import type { Lease } from "../store/lease.ts";
import { describeLost, type FencedAttempt, noteLastMemory } from "../store/lost-attempt.ts";
import { dropAttempt, ownsLease, releaseAttempt } from "../store/release-attempt.ts";
import type { RunPaths, Unit } from "../store/run-paths.ts";
import { takeFileStep } from "../store/take-file-step.ts";
import { firstReport, reportText } from "../store/worker-report.ts";

export type ShardClaim = Claim & { readonly unit: number };

/** The lease protocol on a real run folder, in the name of one worker. */
export interface Protocol {
  readonly paths: RunPaths;
  readonly lease: Lease;
  /** Where this worker tells how its attempts ended, and those it took from others. */
  readonly history: History;
  /** Whether a shard is published and sound, also by the runner's own check. */
  isCommitted(shard: number): boolean | Promise<boolean>;
  claim(unit: Unit, seen?: UnitAttempts, options?: ClaimOptions): Promise<Claim | undefined>;
  commit(claim: ShardClaim, options?: { readonly replace?: boolean }): Promise<"committed" | "lost">;
  /** Whether the lease on a claim is still this worker's. */
  owns(claim: Claim): Promise<boolean>;
  /** Gives up; the next attempt goes on from the checkpoint. */
  release(claim: Claim): Promise<void>;
  /** Gives up and leaves nothing behind. */
  drop(claim: Claim): Promise<void>;
}

export function openProtocol(
  paths: RunPaths,
  lease: Lease,
  {
    history,
    isCommitted,
  }: { readonly history: History; readonly isCommitted: (shard: number) => boolean | Promise<boolean> },
): Protocol {
  // What cannot be told of a lost attempt must not keep anyone from going on with its shard.
  const onFenced = (fenced: FencedAttempt) =>
    quietly(() => {
      noteLastMemory(paths, fenced);
      const record = describeLost(paths, fenced);
      if (record !== undefined) history.add(record);
    });
  const context = { paths, lease, onFenced };
  const stepContext = { clockFolder: paths.leases, isCommitted };
  const take = (step: FileStep) => {
    try {
      return takeFileStep(step, stepContext);
    } catch (error) {
      if (step.do !== "link" || !isMissing(error)) throw error;
      // Whoever is silent for too long is cleaned up after. This one was only stopped: it is there again.
      writeFileSync(step.from, reportText(firstReport(lease)));
      return takeFileStep(step, stepContext);
    }
  };
  return {
    paths,
    lease,
    history,
    isCommitted,
    claim: (unit, seen = noAttempts, options = {}) => takeSteps(claimUnit(unit, seen, context, options), take),
    commit: (claim, options = {}) => takeSteps(commitAttempt(claim, context, options), take),
    owns: (claim) => takeSteps(ownsLease(claim, context), take),
    release: (claim) => takeSteps(releaseAttempt(claim, context), take),
    drop: (claim) => takeSteps(dropAttempt(claim, context), take),
  };
}
