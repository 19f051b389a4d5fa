import { noteWithdrawn, type Submission } from "../../store/job-records.ts";
import type { RunPaths } from "../../store/run-paths.ts";
import type { CallAnswer } from "./call-program.ts";
import type { Call, OwnOptions, Scheduler } from "./scheduler.ts";

/** Tasks of one submission that have not begun. */
export interface WaitingTasks {
  readonly submission: Submission;
  readonly tasks: readonly number[];
}

interface Withdrawal {
  readonly scheduler: Pick<Scheduler, "cancelWaiting" | "isGone">;
  readonly ownOf: (submission: Submission) => OwnOptions;
  ask(call: Call): Promise<CallAnswer>;
}

/**
 * Cancels tasks that wait, and notes it where their own account would be: some schedulers keep no trace of them, and
 * whoever watches the run later would take them for lost. Answers why it could not, if so.
 */
export async function withdrawTasks(
  paths: RunPaths,
  waiting: readonly WaitingTasks[],
  { scheduler, ownOf, ask }: Withdrawal,
): Promise<string | undefined> {
  for (const { submission, tasks } of waiting) {
    if (submission.id === undefined) continue;
    const answer = await ask(scheduler.cancelWaiting!(submission.id, tasks, ownOf(submission)));
    const isDone = answer.kind === "answer" || (answer.kind === "refusal" && scheduler.isGone?.(answer.why));
    if (!isDone) return answer.why;
    for (const task of tasks) noteWithdrawn(paths, submission, task);
  }
  return undefined;
}
