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
 * `over`: it ended as it should. `due`: its time was up; another one goes on. `failed`: it ended before any of its
 * workers was ready, and `lost` is one that vanished.
 */
export type Verdict = "pending" | "running" | "over" | "due" | "failed" | "lost";

// Right after its submission a task may not be seen, and on a slow file system its last words come late.
const missingBeforeLost = 3;

/** Judges a task. Its own account counts more than the scheduler's: that one may say lost of a task that still runs. */
export function judgeTask({ sight, report, missing }: TaskEvidence): Verdict {
  const isAlive = sight?.state === "pending" || sight?.state === "running" || sight?.state === "unknown";
  // Run again by the scheduler: what it said of itself was before that.
  if (sight?.state === "pending") return "pending";
  switch (report?.outcome) {
    case "failed":
      return report.wasReady ? "over" : "failed";
    case "deadline":
      return report.isRequeued && (isAlive || missing < missingBeforeLost) ? "pending" : "due";
    case "left":
      // Preempted, say: it was told to leave, and nobody has cancelled it.
      return sight?.state === "lost" ? "due" : "over";
    case "complete":
      return "over";
  }
  if (isAlive || missing < missingBeforeLost)
    return report === undefined && sight?.state !== "running" ? "pending" : "running";
  if (sight?.state === "cancelled") return "over";
  // Without a word of its own: it was killed, or it could not begin.
  return report === undefined ? "failed" : "lost";
}

/** A name for a task among all submissions of a run. */
export function taskKey({ name }: Pick<Submission, "name">, task: number): string {
  return `${name}.${task}`;
}
