import type { Submission } from "../../run-folder/jobs/job-records.ts";
import type { TaskStatus } from "./scheduler.ts";
import type { WaitingTasks } from "./withdraw-tasks.ts";

/** The submissions of one run at one scheduler. */
export interface JobQueue {
  /** Submits `tasks` tasks, in as many arrays as the scheduler's limit requires. */
  submit(tasks: number, excluded?: readonly string[]): Promise<Submission[]>;
  /** Asks for the status of these submissions, in one call where they are at one place. */
  look(submissions: readonly Submission[]): Promise<Look>;
  /** How tasks ended that the scheduler's status does not show any more. */
  askHistory(submission: Submission): Promise<TaskStatus[]>;
  /**
   * Cancels what is left of these submissions, as far as they are the caller's. Returns the reason where that failed.
   */
  cancel(submissions: readonly Submission[]): Promise<string | undefined>;
  /**
   * Cancels pending tasks, which are then replaced. Returns the reason where that failed. Absent: the scheduler cannot
   * do it.
   */
  withdraw?(waiting: readonly WaitingTasks[]): Promise<string | undefined>;
  /** Marks submissions as closed: all their tasks have ended. */
  close(submissions: readonly Submission[]): void;
  /**
   * Submissions of earlier drivers that are not closed. Those whose answer was lost are looked up; one without an id
   * was not found yet, as the scheduler does not say whether it was made.
   */
  inherited(): Promise<Submission[]>;
  /** Why the caller must not cancel a submission: another user's record is only shown and counted. */
  whyNotOwned?(submission: Submission): string | undefined;
  /** Records of other users that name a place to ask: their scheduler is not asked. One sentence each. */
  notAsked?(): readonly string[];
  /** Aborts the calls that have not returned yet. */
  drop?(): void;
}

export type Look =
  /** The tasks that the scheduler knows, by {@link taskKey}. */
  | { readonly isAnswered: true; readonly statuses: ReadonlyMap<string, TaskStatus> }
  | { readonly isAnswered: false; readonly why: string };
