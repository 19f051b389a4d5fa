import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { whySubmissionNotOwned, writeSubmission } from "../../run-folder/jobs/job-records.ts";
import { liveDrivers } from "../../run-folder/run/run-status.ts";
import type { QueueUse } from "../jobs/record-rights.ts";
import type { PlacedJobs } from "../jobs/run-jobs.ts";
import { readSshJobs, type SshJob } from "./read-ssh-jobs.ts";

/** The jobs of a run that were started over ssh; undefined if there are none. */
export function sshJobs(paths: RunPaths, { isReadOnly = false }: QueueUse): PlacedJobs | undefined {
  if (readSshJobs(paths).length === 0) return undefined;
  return {
    async look() {
      // A live driver has their connections, and writes their status itself.
      if (liveDrivers(paths).size > 0) return undefined;
      const jobs = readSshJobs(paths);
      const count = (wanted: SshJob["state"]) => jobs.filter(({ state }) => state === wanted).length;
      const [pending, running, lost] = [count("pending"), count("running"), count("lost")];
      if (!isReadOnly) for (const { submission, state } of jobs) if (state === "gone") close(submission);
      return { status: pending + running > 0 ? { env: "ssh", pending, running, lost } : undefined };
    },
    // Each job reads the stop order from the run folder; there is no scheduler to call.
    cancel: async () => undefined,
    cancelWaiting: async () => undefined,
    leftAlone: () => [],
    whyNotOwned: () => undefined,
  };

  function close(submission: SshJob["submission"]): void {
    if (whySubmissionNotOwned(paths, submission, { mayWrite: true }) === undefined)
      writeSubmission(paths, { ...submission, isClosed: true });
  }
}
