import { readIfPresent } from "../files/durable-files.ts";
import { removeFileInRun } from "../files/run-files.ts";
import { parseAttemptName, type RunPaths } from "../files/run-paths.ts";
import { noteExit, type WorkerExit } from "../history/attempt-notes.ts";
import { namesIn } from "../run/scan-shards.ts";
import { fenceAttempt } from "./claim.ts";
import { type FileStep, takeStepsNow } from "./file-step.ts";
import { type Lease, parseLease } from "./lease.ts";
import { type FencedAttempt, noteLost } from "./lost-attempt.ts";
import { takeFileStep } from "./take-file-step.ts";

/**
 * Releases the leases of a worker that has ended, and notes how it ended, so that its shards can be claimed at once.
 * Attempts that another worker has fenced are not touched.
 */
export function reapWorker(paths: RunPaths, worker: string, exit?: WorkerExit): void {
  const onFenced = (fenced: FencedAttempt) => noteLost(paths, fenced);
  const context = { paths, lease: noLease, isDead: () => true, onFenced };
  const take = (step: FileStep) => takeFileStep(step, { paths, isCommitted: () => false });
  for (const name of namesIn(paths.leases)) {
    const held = parseAttemptName(name);
    if (held === undefined) continue;
    const { target, attempt } = held;
    if (parseLease(readIfPresent(paths.lease(target, attempt)) ?? "")?.worker !== worker) continue;
    if (exit !== undefined && target !== "merge") noteExitInEither(paths, target, attempt, exit);
    takeStepsNow(fenceAttempt(target, attempt, context), take);
  }
  removeFileInRun(paths.root, paths.worker(worker));
}

// Another worker may be fencing the attempt at this moment: its folder has one of two names, and may change from one to
// the other between two tries.
function noteExitInEither(paths: RunPaths, target: number, attempt: number, exit: WorkerExit): void {
  const names = [paths.attempt(target, attempt), paths.fenced(target, attempt)];
  [...names, ...names].some((folder) => noteExit(folder, exit, paths));
}

const noLease: Lease = { worker: "", host: "", pid: 0, began: "", ttlMs: 0 };
