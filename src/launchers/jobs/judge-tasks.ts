import type { Submission, TaskReport } from "../../run-folder/jobs/job-records.ts";
import type { TaskStatus } from "./scheduler.ts";

/** What is known about one task, from the scheduler and from its own report. */
export interface TaskEvidence {
  readonly status: TaskStatus | undefined;
  readonly report: TaskReport | undefined;
  /** Consecutive answers in which the scheduler did not list it as alive. */
  readonly missing: number;
}

/**
 * `over`: it ended as expected. `due`: its time was up, or it was withdrawn, so it must be replaced. `failed`: it ended
 * before any of its workers was ready. `lost`: it vanished.
 */
export type TaskPhase = "pending" | "running" | "over" | "due" | "failed" | "lost";

// A task counts as ended after this many consecutive answers: right after its submission it may not be listed yet, and
// on a slow file system its report comes late.
const missingBeforeLost = 3;

/**
 * Decides the phase of a task. Its own report counts more than the scheduler's status, which may be "lost" while the
 * task still runs.
 */
export function judgeTask({ status, report, missing }: TaskEvidence): TaskPhase {
  // The scheduler runs it again: its report is from the earlier run.
  if (status?.state === "pending") return "pending";
  const isAlive = status?.state === "running" || status?.state === "unknown";
  const isInDoubt = isAlive || missing < missingBeforeLost;
  if (report?.outcome !== undefined) return judgeEnd(report, { status, isAlive, isInDoubt });
  if (isInDoubt) return report === undefined && status?.state !== "running" ? "pending" : "running";
  if (status?.state === "cancelled") return "over";
  // Without a report it was killed, or could not begin. If the scheduler never listed it, it may not have been made.
  return report === undefined && status !== undefined && status.state !== "evicted" ? "failed" : "lost";
}

function judgeEnd(
  { outcome, wasReady, isRequeued }: TaskReport,
  { status, isAlive, isInDoubt }: { status: TaskStatus | undefined; isAlive: boolean; isInDoubt: boolean },
): TaskPhase {
  if (outcome === "complete" || (outcome === "failed" && wasReady)) return "over";
  if (isRequeued && isInDoubt) return "pending";
  // It is about to end; or it runs again, and its report is from the earlier run.
  if (isAlive) return "running";
  if (outcome === "withdrawn") return "due";
  if (status?.state === "cancelled") return "over";
  if (outcome === "failed") return "failed";
  // If the time was too short to start a worker, it would be too short again.
  if (outcome === "deadline") return wasReady ? "due" : "failed";
  // It received a signal to leave and was not cancelled: it was preempted, for example.
  return status === undefined ? "over" : "due";
}

/** A name for a task among all submissions of a run. */
export function taskKey({ name }: Pick<Submission, "name">, task: number): string {
  return `${name}.${task}`;
}
