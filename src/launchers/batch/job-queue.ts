import { mkdirSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { entryUrl } from "../../shared/entry-url.ts";
import { MillraceError, messageOf } from "../../shared/errors.ts";
import { sleep } from "../../shared/sleep.ts";
import { readSubmissions, type Submission, writeJobFile, writeSubmission } from "../../store/job-records.ts";
import { jobLogName } from "../../store/log-names.ts";
import type { RunPaths } from "../../store/run-paths.ts";
import { inheritedArguments } from "../start-process.ts";
import { callProgram } from "./call-program.ts";
import type { JobOptions } from "./job-options.ts";
import type { Call, Job, Scheduler, TaskSight } from "./scheduler.ts";
import { type WaitingTasks, withdrawTasks } from "./withdraw-tasks.ts";

/** The submissions of one run at one scheduler. */
export interface JobQueue {
  /** Submits so many tasks, in as many arrays as the scheduler's limit makes necessary. */
  submit(tasks: number, excluded?: readonly string[]): Promise<Submission[]>;
  /** One question about all that was submitted; undefined while the scheduler does not answer. */
  look(submissions: readonly Submission[]): Promise<Look>;
  /** How a task ended that the scheduler's status does not show any more. */
  recall(submission: Submission): Promise<TaskSight[]>;
  /** Cancels what is left of these submissions. Answers why it could not, if so. */
  cancel(submissions: readonly Submission[]): Promise<string | undefined>;
  /**
   * Cancels tasks that wait, for others to take their places. Answers why it could not, if so. Absent: they cannot be taken
   * back.
   */
  withdraw?(waiting: readonly WaitingTasks[]): Promise<string | undefined>;
  /** Nobody need ask for these any more: all their tasks have ended. */
  close(submissions: readonly Submission[]): void;
  /** What earlier drivers submitted and nobody has closed. Those whose answer was lost are looked for. */
  inherited(): Promise<Submission[]>;
  /** Nobody waits for what the scheduler has not answered yet. */
  drop?(): void;
}

type Look =
  | { readonly isAnswered: true; readonly sights: readonly TaskSight[] }
  | { readonly isAnswered: false; readonly why: string };

const askTimeoutMs = 30_000;
// Schedulers serve many: arrays that do not fit into one are handed over at this pace.
const submitEveryMs = 500;
const submitTries = 4;
// An answer that was lost: the scheduler may still be working on the submission.
const findEveryMs = [500, 1000, 2000];
const passing =
  /temporarily|timed? ?out|unable to contact|connection (refused|reset)|try (again|later)|not responding|resource temporarily unavailable|communication error/i;

export function openJobQueue(paths: RunPaths, scheduler: Scheduler, options: JobOptions): JobQueue {
  const unwanted = new AbortController();
  const ask = (call: Call, timeoutMs = askTimeoutMs) => callProgram(call, { timeoutMs, signal: unwanted.signal });
  let limit: Promise<number> | undefined;
  let lastSubmitMs = Number.NEGATIVE_INFINITY;

  const withdraw = (waiting: readonly WaitingTasks[]) =>
    withdrawTasks(paths, waiting, { scheduler, ask, own: options.own });

  return {
    submit,
    look,
    recall,
    cancel,
    ...(scheduler.cancelWaiting === undefined ? {} : { withdraw }),
    close,
    inherited,
    drop: () => unwanted.abort(),
  };

  async function submit(tasks: number, excluded: readonly string[] = []): Promise<Submission[]> {
    limit ??= arrayLimit();
    const most = await limit;
    const made: Submission[] = [];
    for (let left = tasks; left > 0; left -= most) {
      const waitMs = lastSubmitMs + submitEveryMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      try {
        made.push(await submitOne(Math.min(left, most), excluded));
      } catch (error) {
        // A limit on how many jobs a user may have: those that were taken do the work of the others too.
        if (made.length === 0) throw error;
        process.stderr.write(`millrace: ${left} of ${tasks} jobs were not submitted: ${messageOf(error)}\n`);
        break;
      }
      lastSubmitMs = performance.now();
    }
    return made;
  }

  async function arrayLimit(): Promise<number> {
    if (options.maxArraySize !== undefined) return options.maxArraySize;
    if (scheduler.arrayLimit === undefined) return Number.POSITIVE_INFINITY;
    const answer = await ask(scheduler.arrayLimit.ask);
    // Asked again before the next submission.
    if (answer.kind !== "answer") limit = undefined;
    const told = answer.kind === "answer" ? scheduler.arrayLimit.parse(answer.text) : undefined;
    return told === undefined || told < 1 ? Number.POSITIVE_INFINITY : told;
  }

  async function submitOne(tasks: number, excluded: readonly string[]): Promise<Submission> {
    let why = "";
    for (let attempt = 0; attempt < submitTries; attempt++) {
      if (attempt > 0) await sleep(1000 * 2 ** attempt);
      const job = describeJob(paths, options, { tasks, excluded });
      const file = writeJobFile(paths, job.name, scheduler.render(job));
      const submission = submissionOf(job, scheduler);
      // Before the call: whatever becomes of this process, the submission can be found again by its name.
      writeSubmission(paths, submission);
      const answer = await ask(scheduler.submit(job, file), options.submitTimeoutSeconds * 1000);
      const told = answer.kind === "answer" ? scheduler.parseSubmitted(answer.text) : undefined;
      const isRefused = answer.kind === "refusal" || answer.kind === "absent";
      const id = told ?? (isRefused ? undefined : await findByName(job.name));
      if (id !== undefined) {
        const known = { ...submission, id };
        writeSubmission(paths, known);
        return known;
      }
      // One that was not answered stays open: should it turn up after all, whoever comes later finds it by its name.
      if (isRefused) writeSubmission(paths, { ...submission, isClosed: true });
      if (answer.kind === "absent") throw absent(scheduler, answer.why);
      why = answer.kind === "answer" ? `its answer holds no job id: ${answer.text.trim()}` : answer.why;
      if (answer.kind === "refusal" && !passing.test(answer.why)) break;
    }
    throw new MillraceError("SCHEDULER_FAILED", `${scheduler.title} did not take the jobs: ${why}`, {
      hint: "Correct parallel.options; `millrace plan CONFIG` prints the job script, `millrace doctor` says whether this host reaches the scheduler. Nothing is lost: run again.",
    });
  }

  async function findByName(name: string): Promise<string | undefined> {
    for (const waitMs of findEveryMs) {
      await sleep(waitMs);
      const answer = await ask(scheduler.find(name, options.own));
      const id = answer.kind === "answer" ? scheduler.parseFound(answer.text, name) : undefined;
      if (id !== undefined) return id;
    }
    return undefined;
  }

  async function look(submissions: readonly Submission[]): Promise<Look> {
    const ids = idsOf(submissions);
    if (ids.length === 0) return { isAnswered: true, sights: [] };
    const answer = await ask(scheduler.status(ids, options.own));
    // Where some are gone, the others are told nevertheless.
    if (answer.kind === "answer" || (answer.kind === "refusal" && scheduler.isGone?.(answer.why)))
      return { isAnswered: true, sights: scheduler.parseStatus(answer.text) };
    return { isAnswered: false, why: answer.why };
  }

  async function recall({ id }: Submission): Promise<TaskSight[]> {
    if (id === undefined || scheduler.history === undefined) return [];
    const answer = await ask(scheduler.history.ask(id, options.own));
    return answer.kind === "answer" ? scheduler.history.parse(answer.text, id) : [];
  }

  async function cancel(submissions: readonly Submission[]): Promise<string | undefined> {
    const ids = idsOf(submissions);
    if (ids.length === 0) return undefined;
    const answer = await ask(scheduler.cancel(ids, options.own));
    const isDone = answer.kind === "answer" || (answer.kind === "refusal" && scheduler.isGone?.(answer.why));
    if (isDone) close(submissions);
    return isDone ? undefined : answer.why;
  }

  function close(submissions: readonly Submission[]): void {
    for (const submission of submissions) writeSubmission(paths, { ...submission, isClosed: true });
  }

  async function inherited(): Promise<Submission[]> {
    const open = readSubmissions(paths).filter(({ env, isClosed }) => env === scheduler.env && isClosed !== true);
    const found: Submission[] = [];
    for (const submission of open) {
      if (submission.id !== undefined) {
        found.push(submission);
        continue;
      }
      const answer = await ask(scheduler.find(submission.name, options.own));
      const id = answer.kind === "answer" ? scheduler.parseFound(answer.text, submission.name) : undefined;
      if (id === undefined) continue;
      writeSubmission(paths, { ...submission, id });
      found.push({ ...submission, id });
    }
    return found;
  }
}

/** A job as it would be submitted. */
export function describeJob(
  paths: RunPaths,
  options: JobOptions,
  { tasks, excluded = [] }: { readonly tasks: number; readonly excluded?: readonly string[] },
): Job {
  const name = `${options.jobName}-${randomKey()}`;
  const folder = logFolder(paths, options);
  const program = fileURLToPath(entryUrl("job-process.js"));
  const command = [options.node, ...inheritedArguments(process.execArgv), program, paths.root, name];
  return { name, tasks, options, command, excluded, log: join(folder, jobLogName(name)) };
}

/** Makes the folder for the output of jobs: a scheduler that does not find it fails the job without a word. */
export function makeLogFolder(paths: RunPaths, options: JobOptions): void {
  mkdirSync(logFolder(paths, options), { recursive: true });
}

function logFolder(paths: RunPaths, { logDirectory }: JobOptions): string {
  if (logDirectory === undefined) return paths.logs;
  return isAbsolute(logDirectory) ? logDirectory : resolve(logDirectory);
}

function submissionOf({ name, tasks, options }: Job, { env }: Scheduler): Submission {
  const { processes, walltimeSeconds, graceSeconds, threadsPerWorker, maxHeapMb } = options;
  return { version: 1, name, env, tasks, processes, walltimeSeconds, graceSeconds, threadsPerWorker, maxHeapMb };
}

function idsOf(submissions: readonly Submission[]): string[] {
  return submissions.flatMap(({ id }) => (id === undefined ? [] : [id]));
}

function randomKey(): string {
  return Math.floor(Math.random() * 36 ** 6)
    .toString(36)
    .padStart(6, "0");
}

function absent({ title, env }: Scheduler, why: string): MillraceError {
  return new MillraceError("SCHEDULER_FAILED", `env: ${env} needs ${title}, but ${why}.`, {
    hint: `Start the run on a host from which jobs can be submitted; \`millrace doctor\` shows what answers here.`,
  });
}
