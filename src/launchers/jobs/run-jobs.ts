import type { JobQueueStatus, ObservedJobs } from "../../run-folder/jobs/job-queue-status.ts";

/** The jobs of a run, for commands and displays. */
export interface RunJobs {
  /** Asks for their status. It is written to the run folder, unless they were opened only for looking. */
  look(): Promise<ObservedJobs>;
  /** Cancels all that are the caller's. Returns the reason where that failed. */
  cancel(): Promise<string | undefined>;
  /**
   * Cancels those of the caller's that have not begun. Pending tasks of an array that has begun leave when they start.
   */
  cancelWaiting(): Promise<string | undefined>;
  /** Records that are invalid or not asked for, and why: one sentence each. */
  leftAlone(): readonly string[];
  /** Says that the caller must not cancel a job, and who can; undefined where all are the caller's. */
  whyNotOwned(): string | undefined;
}

/** The jobs at one scheduler, or over ssh. */
export interface PlacedJobs extends Omit<RunJobs, "look"> {
  /** Undefined where another process asks for the status and writes it. */
  look(): Promise<{ readonly status: JobQueueStatus | undefined } | undefined>;
}
