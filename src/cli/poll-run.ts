import { jobsOf } from "../launchers/jobs-of.ts";
import type { ObservedJobs } from "../run-folder/jobs/job-queue-status.ts";
import { openStatus, type RunStatus } from "../run-folder/run/run-status.ts";

/** A run that is polled. */
export interface PolledRun {
  /** Asks its scheduler first, if it has one, then reads the run folder. */
  now(): Promise<RunStatus>;
  /** The last reply of its scheduler. */
  seenJobs(): ObservedJobs | undefined;
}

/** Opens a run for polling. With `isReadOnly` nothing is written. */
export async function pollRun(runDir: string, { isReadOnly }: { readonly isReadOnly: boolean }): Promise<PolledRun> {
  const reader = await openStatus(runDir);
  const jobs = await jobsOf(runDir, { isReadOnly });
  let seen: ObservedJobs | undefined;
  return {
    async now() {
      seen = await jobs?.look();
      return reader.read(seen);
    },
    seenJobs: () => seen,
  };
}
