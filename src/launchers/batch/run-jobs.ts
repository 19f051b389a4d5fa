/** The jobs of a run that others have started. */
export interface RunJobs {
  /** Finds out how they stand and writes it down, for all who look at the run folder. */
  refresh(): Promise<void>;
  /** Cancels all of them. Answers why that could not be done, if so. */
  cancel(): Promise<string | undefined>;
  /** Cancels those that have not begun. Of an array that has begun in part, the others leave when it is their turn. */
  cancelWaiting(): Promise<string | undefined>;
}
