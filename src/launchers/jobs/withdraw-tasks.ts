import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { noteWithdrawn, type Submission } from "../../run-folder/jobs/job-records.ts";
import type { CallAnswer } from "./call-program.ts";
import type { Call, Scheduler, SchedulerOptions } from "./scheduler.ts";

/** Tasks of one submission that have not begun. */
export interface WaitingTasks {
  readonly submission: Submission;
  readonly tasks: readonly number[];
}

interface Withdrawal {
  readonly scheduler: Pick<Scheduler, "cancelWaiting" | "isGone">;
  readonly placeOptionsOf: (submission: Submission) => SchedulerOptions;
  ask(call: Call): Promise<CallAnswer>;
}

/**
 * Cancels pending tasks, and notes that in their reports: some schedulers keep no trace of such tasks, and a later
 * driver would count them as lost. Returns the reason if a call failed.
 */
export async function withdrawTasks(
  paths: RunPaths,
  waiting: readonly WaitingTasks[],
  { scheduler, placeOptionsOf, ask }: Withdrawal,
): Promise<string | undefined> {
  for (const { submission, tasks } of waiting) {
    if (submission.id === undefined) continue;
    const answer = await ask(scheduler.cancelWaiting!(submission.id, tasks, placeOptionsOf(submission)));
    const isDone = answer.kind === "answer" || (answer.kind === "refusal" && scheduler.isGone?.(answer.why));
    if (!isDone) return answer.why;
    for (const task of tasks) noteWithdrawn(paths, submission, task);
  }
  return undefined;
}
