import { MillraceError } from "../../errors/errors.ts";
import { packError } from "../../errors/pack-error.ts";
import { maskSecrets } from "../../secrets/secret-values.ts";
import { type FileOwner, whyNotOwned } from "../files/file-owner.ts";
import { readSmallFile } from "../files/read-small-file.ts";
import type { RunPaths } from "../files/run-paths.ts";
import { openNotices } from "../run/notices.ts";
import { namesIn } from "../run/scan-shards.ts";
import { isJobName, knownFields, maxTasks, problemOfSubmission } from "./check-submission.ts";
import { checkTaskReport } from "./check-task-report.ts";
import { foreignLink, writeInJobs } from "./jobs-folder.ts";
import type { Submission, TaskOutcome, TaskReport } from "./submission.ts";

export type { Submission, TaskOutcome, TaskReport } from "./submission.ts";

/** A submission in the jobs folder, or the reason why its file is refused. */
export type JobRecord =
  | { readonly file: string; readonly submission: Submission; readonly owner: FileOwner; readonly problem?: undefined }
  | { readonly file: string; readonly problem: string };

const maxRecordBytes = 256 << 10;
const maxReportBytes = 16 << 20;

/** Writes or updates the record of a submission. */
export function writeSubmission(paths: RunPaths, submission: Submission): void {
  writeInJobs(paths, `${submission.name}.json`, `${JSON.stringify(submission)}\n`, { makesFolder: true });
}

/** The files of all submissions, in the order of their names. */
export function readJobRecords(paths: RunPaths): JobRecord[] {
  let tasks = 0;
  return namesIn(paths.jobs)
    .filter((file) => file.endsWith(".json") && !/^[^.]+\.\d+\.json$/.test(file))
    .sort()
    .flatMap((file): JobRecord[] => {
      const record = readRecord(paths, file);
      if (record === undefined) return [];
      if (record.problem !== undefined) return [record];
      if (!record.submission.isClosed) tasks += record.submission.tasks;
      return [
        tasks > maxTasks ? { file, problem: `the submissions have more than ${maxTasks} tasks with it` } : record,
      ];
    });
}

function readRecord(paths: RunPaths, file: string): JobRecord | undefined {
  const read = readSmallFile(paths.job(file), maxRecordBytes);
  if (read === undefined) return undefined;
  if (read.problem !== undefined) return { file, problem: read.problem };
  const value = parse(read.text);
  const problem = value === undefined ? "it is not JSON" : problemOfSubmission(value, file.replace(/\.json$/, ""));
  if (problem !== undefined) return { file, problem };
  return { file, submission: knownFields(value as object), owner: read.owner };
}

/** The submissions of a run whose files are valid, in no order. */
export function readSubmissions(paths: RunPaths): Submission[] {
  return readJobRecords(paths).flatMap((record) => (record.problem === undefined ? record.submission : []));
}

/** The submission that a job belongs to. */
export function readSubmission(paths: RunPaths, name: string): Submission {
  const record = isJobName(name) ? readRecord(paths, `${name}.json`) : undefined;
  if (record !== undefined && record.problem === undefined) return record.submission;
  if (record !== undefined) {
    throw new MillraceError(
      "RUN_DAMAGED",
      `${paths.job(record.file)} is not the record of a submission: ${record.problem}.`,
      {
        hint: "Cancel the job and start the run again: it submits others.",
      },
    );
  }
  throw new MillraceError("RUN_NOT_FOUND", `The run in ${paths.root} has no submission ${name}.`, {
    hint: "The job was submitted for a run whose folder was deleted, or is not seen from this host. Cancel the job.",
  });
}

/**
 * Why the caller must not cancel a submission, as the end of a sentence that begins with "its record". Undefined if it
 * may. `mayWrite`: a probe file may be made to find out.
 */
export function whySubmissionNotOwned(
  paths: RunPaths,
  { name }: Pick<Submission, "name">,
  { mayWrite }: { readonly mayWrite: boolean },
): string | undefined {
  const link = foreignLink(paths);
  if (link !== undefined) return `is reached through a link of user ${link.user}`;
  const record = readRecord(paths, `${name}.json`);
  if (record === undefined || record.problem !== undefined) return record === undefined ? "is gone" : "is damaged";
  return whyNotOwned(record.owner, mayWrite ? paths.jobs : undefined);
}

/** Writes the submitted text. If it holds a secret (from the prologue, for example), only the user can read it. */
export function writeJobFile(paths: RunPaths, name: string, text: string): string {
  if (maskSecrets(text) === text) return writeInJobs(paths, `${name}.job`, text, { makesFolder: true });
  const path = writeInJobs(paths, `${name}.job`, text, { makesFolder: true, mode: 0o600 });
  openNotices(paths).say(
    "secret-in-job",
    `the job script ${path} holds a value of the environment that is a secret; export the variable to the job instead of writing \${oc.env:…} into parallel.options`,
  );
  return path;
}

/** The report of a task in this process, kept up to date. */
export interface OpenTaskReport {
  ready(): void;
  wasReady(): boolean;
  end(outcome: TaskOutcome, details?: { readonly error?: unknown; readonly isRequeued?: boolean }): void;
}

/** Begins the report of a task that runs in this process. A task that runs again overwrites its old report. */
export function beginTaskReport(
  paths: RunPaths,
  { name, task, node }: { readonly name: string; readonly task: number; readonly node: string },
): OpenTaskReport {
  let report: TaskReport = { version: 1, node, pid: process.pid, wasReady: false };
  const put = () => writeRecord(paths, `${name}.${task}.json`, report);
  // A task that its scheduler counted as lost may still run while the scheduler runs it again on another node. Then the
  // report belongs to the new one.
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

/** Notes that a task was cancelled before it began. If it begins nevertheless, it overwrites this. */
export function noteWithdrawn(paths: RunPaths, { name }: Pick<Submission, "name">, task: number): void {
  const report: TaskReport = { version: 1, node: "", pid: 0, wasReady: false, outcome: "withdrawn" };
  writeRecord(paths, `${name}.${task}.json`, report);
}

/** The report of a task; undefined if the task has not begun. */
export function readTaskReport(paths: RunPaths, name: string, task: number): TaskReport | undefined {
  if (!isJobName(name)) return undefined;
  const read = readSmallFile(paths.job(`${name}.${task}.json`), maxReportBytes);
  return read?.problem === undefined ? checkTaskReport(parse(read?.text ?? "")) : undefined;
}

function writeRecord(paths: RunPaths, file: string, record: object): void {
  writeInJobs(paths, file, `${JSON.stringify(record)}\n`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
