import { readSmallFile } from "../files/read-small-file.ts";
import { removeFileInRun } from "../files/run-files.ts";
import type { RunPaths } from "../files/run-paths.ts";
import { isMapping } from "./check-submission.ts";
import { writeInJobs } from "./jobs-folder.ts";

/** The status of a run's jobs, as their scheduler last reported it. */
export interface JobQueueStatus {
  readonly env: string;
  readonly pending: number;
  readonly running: number;
  readonly lost: number;
  /** The most frequent reason that the scheduler gives for pending tasks. */
  readonly waitingFor?: string | undefined;
  /** Why the scheduler did not answer, if it did not. */
  readonly silence?: string | undefined;
}

/** The status of a run's jobs for a read-only process: it is kept in memory, and nothing is written. */
export interface ObservedJobs {
  /** Whether the scheduler was asked. If so, `status` replaces the status in the folder. */
  readonly isAsked: boolean;
  /** Undefined if no job is left. */
  readonly status: JobQueueStatus | undefined;
  /** The text of the status file at that time. */
  readonly folderText: string | undefined;
  /** Records that are invalid or for which the scheduler is not asked, and why: a sentence each. */
  readonly problems: readonly string[];
}

const maxBytes = 1 << 20;

/** Writes the answer of a scheduler to the run folder, for displays. */
export function writeJobQueueStatus(paths: RunPaths, status: JobQueueStatus): void {
  writeInJobs(paths, "sight", `${JSON.stringify(status)}\n`);
}

/** Removes the status: no job of the run is left. */
export function removeJobQueueStatus(paths: RunPaths): void {
  removeFileInRun(paths.root, paths.job("sight"));
}

/** The status of the jobs: from the folder, or from `seen` if that is newer. */
export function readJobQueueStatus(paths: RunPaths, seen?: ObservedJobs): JobQueueStatus | undefined {
  const text = readJobQueueText(paths);
  return seen?.isAsked && seen.folderText === text ? seen.status : parse(text);
}

/** The text of the status file. */
export function readJobQueueText(paths: RunPaths): string | undefined {
  const file = readSmallFile(paths.job("sight"), maxBytes);
  return file?.problem === undefined ? file?.text : undefined;
}

function parse(text: string | undefined): JobQueueStatus | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "null");
    return isMapping(value) ? check(value) : undefined;
  } catch {
    return undefined;
  }
}

function check({ env, pending, running, lost, waitingFor, silence }: Readonly<Record<string, unknown>>) {
  const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
  if (typeof env !== "string" || !/^[a-z_]{1,20}$/.test(env)) return undefined;
  if (!isCount(pending) || !isCount(running) || !isCount(lost)) return undefined;
  return { env, pending, running, lost, waitingFor: oneLine(waitingFor), silence: oneLine(silence) };
}

// It is printed, so control characters are removed.
function oneLine(value: unknown): string | undefined {
  return typeof value === "string" ? value.replace(/\p{Cc}+/gu, " ").slice(0, 2000) : undefined;
}
