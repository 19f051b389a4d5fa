import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { readSubmissions, readTaskReport, type Submission } from "../../run-folder/jobs/job-records.ts";
import { hostNameOf } from "../../run-folder/lease/lease.ts";
import { readSnapshot } from "../../run-folder/lease/take-file-step.ts";
import { fileSystemClock, type LiveReport, liveReports } from "../../run-folder/run/run-status.ts";

/** `gone`: its report says that it has ended. `lost`: it has no live worker and no such report. */
type SshJobState = "pending" | "running" | "gone" | "lost";

export interface SshJob {
  readonly submission: Submission;
  readonly state: SshJobState;
}

// A job without a worker may be starting or replacing one. After this long it counts as lost.
const maxStartMs = 60_000;

/** The open jobs that were started over ssh. Their state is read from the run folder, because no scheduler knows them. */
export function readSshJobs(paths: RunPaths): SshJob[] {
  const now = fileSystemClock(paths);
  const open = readSubmissions(paths).filter(({ env, isClosed }) => env === "ssh" && isClosed !== true);
  if (open.length === 0) return [];
  const live = liveReports(paths, now);
  return open.map((submission) => ({ submission, state: stateOf(submission) }));

  function stateOf({ name }: Submission): SshJobState {
    const report = readTaskReport(paths, name, 0);
    if (report?.outcome !== undefined) return "gone";
    if (report !== undefined && live.some((one) => isWorkerOf(one, report))) return "running";
    const record = paths.job(report === undefined ? `${name}.json` : `${name}.0.json`);
    const ageMs = readSnapshot(record, now)?.ageMs;
    if (ageMs === undefined || ageMs > maxStartMs) return "lost";
    return report === undefined ? "pending" : "running";
  }
}

// The process of the job is the watcher of its workers.
function isWorkerOf(
  { report: { watcher } }: LiveReport,
  { node, pid }: { readonly node: string; readonly pid: number },
): boolean {
  return watcher !== undefined && watcher.pid === pid && hostNameOf(watcher) === node;
}
