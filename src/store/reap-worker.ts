import { rmSync } from "node:fs";
import { noteExit, type WorkerExit } from "./attempt-notes.ts";
import { fenceAttempt } from "./claim-unit.ts";
import { readIfPresent } from "./durable-files.ts";
import { type FileStep, takeStepsNow } from "./file-step.ts";
import { type Lease, parseLease } from "./lease.ts";
import { type FencedAttempt, noteLost } from "./lost-attempt.ts";
import { parseAttemptName, type RunPaths } from "./run-paths.ts";
import { namesIn } from "./scan-shards.ts";
import { takeFileStep } from "./take-file-step.ts";

/**
 * Takes the leases of a worker back that is known to have ended, and notes how it ended: its shards can be claimed at
 * once. Whoever fenced one of them first is not disturbed.
 */
export function reapWorker(paths: RunPaths, worker: string, exit?: WorkerExit): void {
  const onFenced = (fenced: FencedAttempt) => noteLost(paths, fenced);
  const context = { paths, lease: nobody, isDead: () => true, onFenced };
  const take = (step: FileStep) => takeFileStep(step, { clockFolder: paths.leases, isCommitted: () => false });
  for (const name of namesIn(paths.leases)) {
    const held = parseAttemptName(name);
    if (held === undefined) continue;
    const { unit, epoch } = held;
    if (parseLease(readIfPresent(paths.lease(unit, epoch)) ?? "")?.worker !== worker) continue;
    if (exit !== undefined && unit !== "merge") noteWherever(paths, unit, epoch, exit);
    takeStepsNow(fenceAttempt(unit, epoch, context), take);
  }
  rmSync(paths.worker(worker), { force: true });
}

// Someone may be fencing the attempt this very moment: its folder has one of two names.
function noteWherever(paths: RunPaths, unit: number, epoch: number, exit: WorkerExit): void {
  const names = [paths.attempt(unit, epoch), paths.fenced(unit, epoch)];
  [...names, ...names].some((folder) => noteExit(folder, exit));
}

const nobody: Lease = { worker: "", host: "", pid: 0, began: "", ttlMs: 0 };
