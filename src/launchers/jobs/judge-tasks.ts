import type { Submission, TaskReport } from "../../run-folder/jobs/job-records.ts";
import type { TaskStatus } from "./scheduler.ts";

/** What is known of one task, from the scheduler and from its own report. */
export interface TaskEvidence {
  readonly status: TaskStatus | undefined;
  readonly report: TaskReport | undefined;
  /** Consecutive answers in which the scheduler did not list it as alive. */
  readonly missing: number;
}

/**
 * `over`: it ended as expected. `due`: its time was up, or it was withdrawn, and it must be replaced. `failed`: it
 * ended before any of its workers was ready. `lost`: it vanished.
 */
export type TaskPhase = "pending" | "running" | "over" | "due" | "failed" | "lost";

// Consecutive answers before a task counts as ended: right after its submission it may not be listed yet, and on a slow
// file system its report comes late.
const missingBeforeLost = 3;

/**
 * Judges a task. Its own report counts more than the scheduler's status, which may say lost while the task still runs.
 */
export function judgeTask({ status, report, missing }: TaskEvidence): TaskPhase {
  // The scheduler runs it again: its report is from the run before.
  if (status?.state === "pending") return "pending";
  const isAlive = status?.state === "running" || status?.state === "unknown";
  const isInDoubt = isAlive || missing < missingBeforeLost;
  if (report?.outcome !== undefined) return judgeEnd(report, { status, isAlive, isInDoubt });
  if (isInDoubt) return report === undefined && status?.state !== "running" ? "pending" : "running";
  if (status?.state === "cancelled") return "over";
  // Without a report: it was killed, or it could not begin. One that the scheduler never listed may not have been made.
  return report === undefined && status !== undefined && status.state !== "evicted" ? "failed" : "lost";
}

function judgeEnd(
  { outcome, wasReady, isRequeued }: TaskReport,
  { status, isAlive, isInDoubt }: { status: TaskStatus | undefined; isAlive: boolean; isInDoubt: boolean },
): TaskPhase {
  if (outcome === "complete" || (outcome === "failed" && wasReady)) return "over";
  if (isRequeued && isInDoubt) return "pending";
  // It is about to end; or it runs again, and its report is from the run before.
  if (isAlive) return "running";
  if (outcome === "withdrawn") return "due";
  if (status?.state === "cancelled") return "over";
  if (outcome === "failed") return "failed";
  // A time that is too short to begin with would be too short again.
  if (outcome === "deadline") return wasReady ? "due" : "failed";
  // It received a signal to leave without being cancelled: preempted, for example.
  return status === undefined ? "over" : "due";
}

/** A name for a task among all submissions of a run. */
export function taskKey({ name }: Pick<Submission, "name">, task: number): string {
  return `${name}.${task}`;
}
