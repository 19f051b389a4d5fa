import { MillraceError, messageOf } from "../../errors/errors.ts";
import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { isNodeName } from "../../run-folder/jobs/check-submission.ts";
import { type Submission, writeJobFile, writeSubmission } from "../../run-folder/jobs/job-records.ts";
import { sleep } from "../../runtime/sleep.ts";
import { arrayLimit, arraysOf } from "./array-limit.ts";
import { type CallAnswer, callProgram } from "./call-program.ts";
import { describeJob, submissionOf } from "./describe-job.ts";
import { groupByPlace } from "./group-by-place.ts";
import type { JobOptions } from "./job-options.ts";
import type { JobQueue, Look } from "./job-queue.ts";
import { taskKey } from "./judge-tasks.ts";
import { describeForeign, type QueueUse, recordRights } from "./record-rights.ts";
import type { Call, Scheduler, SchedulerOptions, TaskStatus } from "./scheduler.ts";
import { sortJobRecords } from "./sort-job-records.ts";
import { isTemporary, mayHaveBeenMade, schedulerAbsent } from "./submit-refusals.ts";
import { type WaitingTasks, withdrawTasks } from "./withdraw-tasks.ts";

/** The result of looking up a submission whose answer was lost. */
type FindResult =
  | { readonly kind: "found"; readonly submission: Submission }
  | { readonly kind: "none" }
  | { readonly kind: "unknown"; readonly why: string };

const askTimeoutMs = 30_000;
// Several arrays are submitted at this interval, because schedulers serve many users.
const submitEveryMs = 500;
const submitTries = 4;
// Waits before a submission without an answer is looked up: the scheduler may still be working on it.
const findEveryMs = [500, 1000, 2000];
/** Opens the queue of a run at a scheduler: makes its calls and records their results in the run folder. */
export function openJobQueue(
  paths: RunPaths,
  scheduler: Scheduler,
  options: JobOptions,
  { isReadOnly = false }: QueueUse = {},
): JobQueue {
  const unwanted = new AbortController();
  const ask = (call: Call, timeoutMs = askTimeoutMs) => callProgram(call, { timeoutMs, signal: unwanted.signal });
  // Submissions that were replaced because it was not known whether they were made. They are cancelled if they appear.
  const late = new Map<string, Submission>();
  const { noteMade, isOwned, whyNotOwned, whyNotAsked } = recordRights(paths, { isReadOnly, options });
  const printedFor = new Set<string>();
  let limit: ReturnType<typeof arrayLimit> | undefined;
  let lastSubmitMs = Number.NEGATIVE_INFINITY;

  const withdraw = (waiting: readonly WaitingTasks[]) =>
    withdrawTasks(
      paths,
      waiting.filter(({ submission }) => isOwned(submission)),
      { scheduler, ask, placeOptionsOf: placeOptionsOf },
    );

  return {
    submit,
    look,
    askHistory,
    cancel,
    ...(scheduler.cancelWaiting === undefined ? {} : { withdraw }),
    close,
    inherited,
    whyNotOwned,
    notAsked: () =>
      openRecords().flatMap((submission) => {
        const why = whyNotAsked(submission);
        return why === undefined ? [] : `${submission.name}.json is not asked for: ${why}`;
      }),
    drop: () => unwanted.abort(),
  };

  async function submit(tasks: number, excluded: readonly string[] = []): Promise<Submission[]> {
    limit ??= arrayLimit(scheduler, options, ask);
    const { max, isKnown } = await limit;
    // Ask again before the next submission.
    if (!isKnown) limit = undefined;
    const made: Submission[] = [];
    const nodes = excluded.filter(isValidNode);
    for (const size of arraysOf(tasks, max)) {
      const waitMs = lastSubmitMs + submitEveryMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      try {
        made.push(await submitOne(size, nodes));
      } catch (error) {
        // The cause may be a limit on jobs per user. The submitted jobs do the work of the others too.
        if (made.length === 0) throw error;
        const left = tasks - made.reduce((sum, one) => sum + one.tasks, 0);
        process.stderr.write(`millrace: ${left} of ${tasks} jobs were not submitted: ${messageOf(error)}\n`);
        break;
      }
      lastSubmitMs = performance.now();
    }
    return made;
  }

  /** Checks the name of a node: some come from the run folder, and all become part of the job script. */
  function isValidNode(node: string): boolean {
    const isName = isNodeName(node);
    if (!isName) printOnce(node, `${JSON.stringify(node)} cannot be excluded: no node has such a name`);
    return isName;
  }

  async function submitOne(tasks: number, excluded: readonly string[]): Promise<Submission> {
    let why = "";
    // A submission that may or may not have been made.
    let open: Submission | undefined;
    for (let attempt = 0; attempt < submitTries; attempt++) {
      if (attempt > 0) await sleep(1000 * 2 ** attempt);
      if (open !== undefined) {
        const finding = await find(open);
        if (finding.kind === "found") return finding.submission;
        if (finding.kind === "unknown") {
          why = finding.why;
          continue;
        }
        giveUp(open);
        open = undefined;
      }
      const { submission, answer } = await callSubmit(tasks, excluded);
      const id = answer.kind === "answer" ? scheduler.parseSubmitted(answer.text) : undefined;
      if (id !== undefined) return note({ ...submission, id });
      why = answer.kind === "answer" ? `its answer holds no job id: ${answer.text.trim()}` : answer.why;
      if (answer.kind === "absent" || (answer.kind === "refusal" && !mayHaveBeenMade(answer.why))) {
        note({ ...submission, isClosed: true });
        if (answer.kind === "absent") throw schedulerAbsent(scheduler, answer.why);
        if (!isTemporary(answer.why)) break;
        continue;
      }
      const finding = await findSoon(submission);
      if (finding.kind === "found") return finding.submission;
      open = submission;
    }
    // If the scheduler does not say whether it was made, it stays open: a later driver can find it by its name.
    if (open !== undefined && (await find(open)).kind === "none") giveUp(open);
    throw new MillraceError("SCHEDULER_FAILED", `${scheduler.title} did not take the jobs: ${why}`, {
      hint: "Correct parallel.options; `millrace plan CONFIG` prints the job script, `millrace doctor` shows whether this host reaches the scheduler. Nothing is lost: run again.",
    });
  }

  async function callSubmit(tasks: number, excluded: readonly string[]) {
    const job = describeJob(paths, options, { tasks, excluded });
    const file = writeJobFile(paths, job.name, scheduler.render(job));
    noteMade(job.name);
    // Written before the call: if this process is killed, the submission can be found by its name.
    const submission = note(submissionOf(job, scheduler));
    return { submission, answer: await ask(scheduler.submit(job, file), options.submitTimeoutSeconds * 1000) };
  }

  /** Updates the record of a submission, if it is the caller's. */
  function note(submission: Submission): Submission {
    if (!isReadOnly && isOwned(submission)) writeSubmission(paths, submission);
    return submission;
  }

  /** Prints a message once for each subject. */
  function printOnce(about: string, text: string): void {
    if (isReadOnly || printedFor.has(about)) return;
    printedFor.add(about);
    process.stderr.write(`millrace: ${text}\n`);
  }

  /**
   * Marks a submission as unwanted, because another one replaces it. If a scheduler that hung makes it after all, its
   * tasks read this record and leave.
   */
  function giveUp(submission: Submission): void {
    late.set(submission.name, note({ ...submission, isUnwanted: true }));
  }

  async function find(submission: Submission): Promise<FindResult> {
    const { name } = submission;
    const answer = await ask(scheduler.find(name, placeOptionsOf(submission)));
    if (!isAnswer(answer)) return { kind: "unknown", why: answer.why };
    const id = scheduler.parseFound(answer.text, name);
    return id === undefined ? { kind: "none" } : { kind: "found", submission: note({ ...submission, id }) };
  }

  async function findSoon(submission: Submission): Promise<FindResult> {
    let finding: FindResult = { kind: "none" };
    for (const waitMs of findEveryMs) {
      await sleep(waitMs);
      finding = await find(submission);
      if (finding.kind === "found") break;
    }
    return finding;
  }

  async function look(submissions: readonly Submission[]): Promise<Look> {
    const known: Submission[] = [];
    for (const submission of submissions) {
      const finding = await identify(submission);
      if (finding.kind === "unknown") return { isAnswered: false, why: finding.why };
      if (finding.kind === "found") known.push(finding.submission);
    }
    const statuses = new Map<string, TaskStatus>();
    for (const place of groupByPlace(known, placeOptionsOf)) {
      const answer = await ask(scheduler.status(idsOf(place), placeOptionsOf(place[0]!)));
      if (!isAnswer(answer)) return { isAnswered: false, why: answer.why };
      const names = new Map(place.map((one) => [one.id, one]));
      for (const status of scheduler.parseStatus(answer.text)) {
        const submission = names.get(status.id);
        if (submission !== undefined) statuses.set(taskKey(submission, status.task), status);
      }
    }
    await cancelLate();
    return { isAnswered: true, statuses };
  }

  async function identify(submission: Submission): Promise<FindResult> {
    return submission.id === undefined ? find(submission) : { kind: "found", submission };
  }

  async function askHistory(submission: Submission): Promise<TaskStatus[]> {
    const { id } = submission;
    if (id === undefined || scheduler.history === undefined) return [];
    const answer = await ask(scheduler.history.ask(id, placeOptionsOf(submission)));
    return answer.kind === "answer" ? scheduler.history.parse(answer.text, id) : [];
  }

  async function cancel(submissions: readonly Submission[]): Promise<string | undefined> {
    let why: string | undefined;
    const known: Submission[] = [];
    for (const submission of submissions.filter(isOwned)) {
      const finding = await identify(submission);
      if (finding.kind === "unknown") why = finding.why;
      else known.push(finding.kind === "found" ? finding.submission : submission);
    }
    for (const place of groupByPlace(known, placeOptionsOf)) {
      const answer =
        idsOf(place).length === 0 ? undefined : await ask(scheduler.cancel(idsOf(place), placeOptionsOf(place[0]!)));
      if (answer === undefined || isAnswer(answer)) close(place);
      else why = answer.why;
    }
    await cancelLate();
    return why;
  }

  async function cancelLate(): Promise<void> {
    if (isReadOnly) return;
    for (const submission of late.values()) {
      const finding = await find(submission);
      if (finding.kind !== "found") continue;
      const { id } = finding.submission;
      if (isAnswer(await ask(scheduler.cancel([id!], placeOptionsOf(submission))))) close([finding.submission]);
    }
  }

  function close(submissions: readonly Submission[]): void {
    for (const submission of submissions) {
      late.delete(submission.name);
      note({ ...submission, isClosed: true, ...(submission.id === undefined ? { isUnwanted: true } : {}) });
    }
  }

  async function inherited(): Promise<Submission[]> {
    const found: Submission[] = [];
    for (const submission of openRecords()) {
      const why = whyNotOwned(submission);
      if (submission.isUnwanted) {
        if (why === undefined) late.set(submission.name, submission);
        continue;
      }
      const notAsked = whyNotAsked(submission);
      if (notAsked !== undefined) {
        printOnce(
          submission.name,
          `the job ${submission.name} is not asked for: its record is ignored, as ${notAsked}`,
        );
        continue;
      }
      const finding = await identify(submission);
      // A submission that the scheduler does not report may exist: replacing it could start too many jobs.
      if (finding.kind === "none") continue;
      found.push(finding.kind === "found" ? finding.submission : submission);
      if (why !== undefined)
        printOnce(submission.name, `${describeForeign(paths.root, submission, why)}; it counts nevertheless`);
    }
    return found;
  }

  function openRecords(): Submission[] {
    const schedulerOf = (env: string) => (env === scheduler.env ? scheduler : undefined);
    return sortJobRecords(paths, schedulerOf).valid.flatMap(({ submission }) =>
      submission.env === scheduler.env && submission.isClosed !== true ? submission : [],
    );
  }

  function isAnswer(answer: CallAnswer): answer is Extract<CallAnswer, { readonly text: string }> {
    // If only some ids are unknown, the answer is valid for the others.
    return answer.kind === "answer" || (answer.kind === "refusal" && scheduler.isGone?.(answer.why) === true);
  }

  function placeOptionsOf({ own: placeOptions }: Submission): SchedulerOptions {
    return placeOptions ?? options.schedulerOptions;
  }
}

const idsOf = (all: readonly Submission[]): string[] => all.flatMap(({ id }) => id ?? []);
