import type { Submission } from "../../run-folder/jobs/job-records.ts";
import type { TaskStatus } from "./scheduler.ts";
import type { WaitingTasks } from "./withdraw-tasks.ts";

/** The submissions of one run at one scheduler. */
export interface JobQueue {
  /** Submits `tasks` tasks, in as many arrays as the scheduler's limit requires. */
  submit(tasks: number, excluded?: readonly string[]): Promise<Submission[]>;
  /** Asks for the status of these submissions: one call for each place. */
  look(submissions: readonly Submission[]): Promise<Look>;
  /** Asks how tasks ended that the scheduler's status does not show any more. */
  askHistory(submission: Submission): Promise<TaskStatus[]>;
  /** Cancels the rest of these submissions, if they are the caller's. Returns the reason if that failed. */
  cancel(submissions: readonly Submission[]): Promise<string | undefined>;
  /**
   * Cancels pending tasks, which are then replaced. Returns the reason if that failed. Absent if the scheduler cannot do it.
   */
  withdraw?(waiting: readonly WaitingTasks[]): Promise<string | undefined>;
  /** Marks submissions as closed: all their tasks have ended. */
  close(submissions: readonly Submission[]): void;
  /**
   * Submissions of earlier drivers that are not closed. If the answer of a submission was lost, it is looked up. A
   * submission without an id was not found: the scheduler does not say whether it was made.
   */
  inherited(): Promise<Submission[]>;
  /** Why the caller must not cancel a submission. The record of another user is only shown and counted. */
  whyNotOwned?(submission: Submission): string | undefined;
  /** Records of other users that say where to ask: the scheduler is not asked for them. A sentence each. */
  notAsked?(): readonly string[];
  /** Aborts all open calls. */
  drop?(): void;
}

export type Look =
  /** The tasks that the scheduler knows, by {@link taskKey}. */
  | { readonly isAnswered: true; readonly statuses: ReadonlyMap<string, TaskStatus> }
  | { readonly isAnswered: false; readonly why: string };
