import { jobsOf } from "../launchers/batch/jobs-of.ts";
import { openStatus, type RunStatus } from "../store/run-status.ts";

/** Looks at a run as often as it is asked: what its scheduler says first, where it has one, then the run folder. */
export async function openLook(runDir: string): Promise<() => Promise<RunStatus>> {
  const reader = await openStatus(runDir);
  const jobs = await jobsOf(runDir);
  return async () => {
    await jobs?.refresh();
    return reader.read();
  };
}
