import { MillraceError } from "../shared/errors.ts";
import { type PackedError, packError } from "../shared/pack-error.ts";
import { makeFolders, readIfPresent, replaceFileQuickly } from "./durable-files.ts";
import type { RunPaths } from "./run-paths.ts";
import { namesIn } from "./scan-shards.ts";

/**
 * What was handed to a scheduler. It is written before the scheduler is called and again with its answer: one without
 * an id may have been submitted, or not.
 */
export interface Submission {
  readonly version: 1;
  /** The name under which the scheduler knows it. */
  readonly name: string;
  readonly env: string;
  readonly tasks: number;
  /** Workers in each task. */
  readonly processes: number;
  readonly id?: string | undefined;
  readonly walltimeSeconds?: number | undefined;
  readonly graceSeconds: number;
  readonly threadsPerWorker?: number | undefined;
  readonly maxHeapMb?: number | undefined;
  /** What calls about it need to reach the place it was handed to: a namespace, a schedd. Older records have none. */
  readonly own?: Readonly<Record<string, string | number | boolean | readonly string[]>> | undefined;
  /** The folder with the output of its tasks, where that is not the run's own. */
  readonly logDirectory?: string | undefined;
  /** Where it was started without a scheduler. */
  readonly host?: string | undefined;
  /** Nobody waits for it any more: it was cancelled, or never made. */
  readonly isClosed?: boolean | undefined;
  /** Nobody knew whether it was made, and others do its work: should it come after all, its tasks leave at once. */
  readonly isUnwanted?: boolean | undefined;
}

/**
 * How a task has ended by its own account. `deadline`: its time was up and items are left. `withdrawn` is not its own word:
 * it was cancelled before it began, for another one to take its place.
 */
export type TaskOutcome = "complete" | "left" | "deadline" | "failed" | "withdrawn";

/** What a task of a submission says about itself. */
export interface TaskReport {
  readonly version: 1;
  readonly node: string;
  readonly pid: number;
  /** Whether one of its workers has built its env. */
  readonly wasReady: boolean;
  /** Undefined while it runs; also where it was killed. */
  readonly outcome?: TaskOutcome | undefined;
  /** It has asked the scheduler to run it again. */
  readonly isRequeued?: boolean | undefined;
  readonly error?: PackedError | undefined;
}

/** Writes down a submission, or what has become known of it since. */
export function writeSubmission(paths: RunPaths, submission: Submission): void {
  makeFolders(paths.jobs);
  replaceFileQuickly(paths.job(`${submission.name}.json`), `${JSON.stringify(submission)}\n`);
}

/** Every submission of a run, in no order. */
export function readSubmissions(paths: RunPaths): Submission[] {
  return namesIn(paths.jobs).flatMap((name) => {
    const known = /^([\w-]+)\.json$/.test(name) ? parse<Submission>(readIfPresent(paths.job(name))) : undefined;
    return known === undefined ? [] : [known];
  });
}

/** The submission that a job belongs to. */
export function readSubmission(paths: RunPaths, name: string): Submission {
  const submission = parse<Submission>(readIfPresent(paths.job(`${name}.json`)));
  if (submission !== undefined) return submission;
  throw new MillraceError("RUN_NOT_FOUND", `The run in ${paths.root} has no submission ${name}.`, {
    hint: "The job was submitted for a run whose folder was deleted, or is not seen from this host. Cancel the job.",
  });
}

/** Where the text that was submitted is kept. */
export function writeJobFile(paths: RunPaths, name: string, text: string): string {
  makeFolders(paths.jobs);
  const path = paths.job(`${name}.job`);
  replaceFileQuickly(path, text);
  return path;
}

/** A task's own account of itself, kept up to date. */
export interface TaskAccount {
  ready(): void;
  wasReady(): boolean;
  end(outcome: TaskOutcome, details?: { readonly error?: unknown; readonly isRequeued?: boolean }): void;
}

/** Begins the account of a task that runs in this process. One that runs again writes over what was there. */
export function openTaskAccount(
  paths: RunPaths,
  { name, task, node }: { readonly name: string; readonly task: number; readonly node: string },
): TaskAccount {
  const path = paths.job(`${name}.${task}.json`);
  let report: TaskReport = { version: 1, node, pid: process.pid, wasReady: false };
  const put = () => replaceFileQuickly(path, `${JSON.stringify(report)}\n`);
  // A task that its scheduler took for lost may still run when it runs again elsewhere: then the account is that one's.
  const write = () => {
    const now = readTaskReport(paths, name, task);
    if (now === undefined || (now.node === node && now.pid === process.pid)) put();
  };
  put();
  return {
    ready() {
      if (report.wasReady) return;
      report = { ...report, wasReady: true };
      write();
    },
    wasReady: () => report.wasReady,
    end(outcome, { error, isRequeued } = {}) {
      report = { ...report, outcome, isRequeued };
      if (error !== undefined) report = { ...report, error: packError(error, "WORKER_CRASHED") };
      write();
    },
  };
}

/** Notes that a task was cancelled before it began. One that has begun nevertheless writes over it. */
export function noteWithdrawn(paths: RunPaths, { name }: Pick<Submission, "name">, task: number): void {
  const report: TaskReport = { version: 1, node: "", pid: 0, wasReady: false, outcome: "withdrawn" };
  replaceFileQuickly(paths.job(`${name}.${task}.json`), `${JSON.stringify(report)}\n`);
}

/** The account of a task, or undefined where it has not begun. */
export function readTaskReport(paths: RunPaths, name: string, task: number): TaskReport | undefined {
  return parse<TaskReport>(readIfPresent(paths.job(`${name}.${task}.json`)));
}

function parse<T extends { readonly version: 1 }>(text: string | undefined): T | undefined {
  try {
    const value = JSON.parse(text ?? "null") as T | null;
    return value?.version === 1 ? value : undefined;
  } catch {
    return undefined;
  }
}
