import { readSubmissions, readTaskReport, type Submission } from "../../store/job-records.ts";
import { hostNameOf } from "../../store/lease.ts";
import type { RunPaths } from "../../store/run-paths.ts";
import { fileSystemClock, type LiveReport, liveReports } from "../../store/run-status.ts";
import { lookAt } from "../../store/take-file-step.ts";

/** `gone`: it has said that it leaves. `lost`: it shows no sign of life, and has not said so. */
type SshJobState = "pending" | "running" | "gone" | "lost";

export interface SshJob {
  readonly submission: Submission;
  readonly state: SshJobState;
}

// A job that has no worker is starting, or replaces one; after this long it is taken for lost.
const startPatienceMs = 60_000;

/** The jobs that were started over ssh and that nobody has closed, as the run folder shows them: no scheduler knows them. */
export function seeSshJobs(paths: RunPaths): SshJob[] {
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
    const ageMs = lookAt(record, now)?.ageMs;
    if (ageMs === undefined || ageMs > startPatienceMs) return "lost";
    return report === undefined ? "pending" : "running";
  }
}

// The job's process has started its workers, and watches them.
function isWorkerOf(
  { report: { watcher } }: LiveReport,
  { node, pid }: { readonly node: string; readonly pid: number },
): boolean {
  return watcher !== undefined && watcher.pid === pid && hostNameOf(watcher) === node;
}
