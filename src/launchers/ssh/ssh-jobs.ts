import { writeSubmission } from "../../store/job-records.ts";
import { forgetJobs, writeJobSight } from "../../store/job-sight.ts";
import type { RunPaths } from "../../store/run-paths.ts";
import { beatingDrivers } from "../../store/run-status.ts";
import type { RunJobs } from "../batch/run-jobs.ts";
import { type SshJob, seeSshJobs } from "./see-ssh-jobs.ts";

/** The jobs of a run that were started over ssh; undefined where there are none. */
export function sshJobs(paths: RunPaths): RunJobs | undefined {
  if (seeSshJobs(paths).length === 0) return undefined;
  return {
    async refresh() {
      // A driver holds their connections, and knows better.
      if (beatingDrivers(paths).size > 0) return;
      const jobs = seeSshJobs(paths);
      const count = (wanted: SshJob["state"]) => jobs.filter(({ state }) => state === wanted).length;
      const [pending, running, lost] = [count("pending"), count("running"), count("lost")];
      for (const { submission, state } of jobs)
        if (state === "gone") writeSubmission(paths, { ...submission, isClosed: true });
      if (pending + running > 0) writeJobSight(paths, { env: "ssh", pending, running, lost });
      else forgetJobs(paths);
    },
    // Each reads the order to stop by itself; there is nobody else to tell.
    cancel: async () => undefined,
    cancelWaiting: async () => undefined,
  };
}
