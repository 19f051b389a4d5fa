import type { Submission, TaskReport } from "../../store/job-records.ts";
import type { TaskSight } from "./scheduler.ts";

/** What is known of one task, from the scheduler and from itself. */
export interface TaskEvidence {
  readonly sight: TaskSight | undefined;
  readonly report: TaskReport | undefined;
  /** For how many answers in a row the scheduler has not called it alive. */
  readonly missing: number;
}

/**
 * `over`: it ended as it should. `due`: its time was up, or it was withdrawn; another one goes on. `failed`: it ended before any of its
 * workers was ready, and `lost` is one that vanished.
 */
export type Verdict = "pending" | "running" | "over" | "due" | "failed" | "lost";

// Right after its submission a task may not be seen, and on a slow file system its last words come late.
const missingBeforeLost = 3;

/** Judges a task. Its own account counts more than the scheduler's: that one may say lost of a task that still runs. */
export function judgeTask({ sight, report, missing }: TaskEvidence): Verdict {
  // Run again by the scheduler: what it said of itself was before that.
  if (sight?.state === "pending") return "pending";
  const isAlive = sight?.state === "running" || sight?.state === "unknown";
  const isInDoubt = isAlive || missing < missingBeforeLost;
  if (report?.outcome !== undefined) return judgeEnd(report, { sight, isAlive, isInDoubt });
  if (isInDoubt) return report === undefined && sight?.state !== "running" ? "pending" : "running";
  if (sight?.state === "cancelled") return "over";
  // Without a word of its own: it was killed, or it could not begin. One that nobody has seen may never have been made.
  return report === undefined && sight !== undefined && sight.state !== "evicted" ? "failed" : "lost";
}

function judgeEnd(
  { outcome, wasReady, isRequeued }: TaskReport,
  { sight, isAlive, isInDoubt }: { sight: TaskSight | undefined; isAlive: boolean; isInDoubt: boolean },
): Verdict {
  if (outcome === "complete" || (outcome === "failed" && wasReady)) return "over";
  if (isRequeued && isInDoubt) return "pending";
  // It is about to end; or it runs again, and what it says is from before.
  if (isAlive) return "running";
  if (outcome === "withdrawn") return "due";
  if (sight?.state === "cancelled") return "over";
  if (outcome === "failed") return "failed";
  // A time that is too short to begin with would be too short again.
  if (outcome === "deadline") return wasReady ? "due" : "failed";
  // It was told to leave, and nobody has cancelled it: preempted, say.
  return sight === undefined ? "over" : "due";
}

/** A name for a task among all submissions of a run. */
export function taskKey({ name }: Pick<Submission, "name">, task: number): string {
  return `${name}.${task}`;
}
