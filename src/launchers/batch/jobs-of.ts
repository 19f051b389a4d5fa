import { runPaths } from "../../store/run-paths.ts";
import { findJobs } from "./refresh-jobs.ts";
import type { RunJobs } from "./run-jobs.ts";

// A scheduler serves many: it is not asked more often than this, however often the folder is looked at.
const askEveryMs = 5000;

/** The jobs of a run, where it has any. They are asked for now and then only. */
export async function jobsOf(runDir: string): Promise<RunJobs | undefined> {
  const jobs = await findJobs(runPaths(runDir));
  if (jobs === undefined) return undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  return {
    ...jobs,
    async refresh() {
      if (performance.now() - lastMs < askEveryMs) return;
      lastMs = performance.now();
      await jobs.refresh();
    },
  };
}
