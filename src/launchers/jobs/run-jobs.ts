import type { JobQueueStatus, ObservedJobs } from "../../run-folder/jobs/job-queue-status.ts";

/** The jobs of a run, for commands and displays. */
export interface RunJobs {
  /** Asks for their status. It is written to the run folder, unless they were opened as read-only. */
  look(): Promise<ObservedJobs>;
  /** Cancels all jobs of the caller. Returns the reason if that failed. */
  cancel(): Promise<string | undefined>;
  /**
   * Cancels all jobs of the caller that have not begun. Pending tasks of an array that has begun leave when they start.
   */
  cancelWaiting(): Promise<string | undefined>;
  /** Records that are invalid or for which the scheduler is not asked, and why: a sentence each. */
  leftAlone(): readonly string[];
  /** A message that the caller must not cancel a job, and who can; undefined if all are the caller's. */
  whyNotOwned(): string | undefined;
}

/** The jobs at one scheduler, or over ssh. */
export interface PlacedJobs extends Omit<RunJobs, "look"> {
  /** Undefined if another process asks for the status and writes it. */
  look(): Promise<{ readonly status: JobQueueStatus | undefined } | undefined>;
}
