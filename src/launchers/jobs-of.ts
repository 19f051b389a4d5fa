import { runPaths } from "../run-folder/files/run-paths.ts";
import type { ObservedJobs } from "../run-folder/jobs/job-queue-status.ts";
import { findJobs } from "./find-jobs.ts";
import type { QueueUse } from "./jobs/record-rights.ts";
import type { RunJobs } from "./jobs/run-jobs.ts";

// A scheduler serves many users: it is asked at most this often, even if the folder is read more often.
const askEveryMs = 5000;

/** The jobs of a run; undefined if there are none. The scheduler is asked at most once in `askEveryMs`. */
export async function jobsOf(runDir: string, use: QueueUse): Promise<RunJobs | undefined> {
  const jobs = await findJobs(runPaths(runDir), use);
  if (jobs === undefined) return undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  let seen: Promise<ObservedJobs> | undefined;
  return {
    ...jobs,
    look() {
      if (seen !== undefined && performance.now() - lastMs < askEveryMs) return seen;
      lastMs = performance.now();
      seen = jobs.look();
      return seen;
    },
  };
}
