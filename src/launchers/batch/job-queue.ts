import { MillraceError, messageOf } from "../../shared/errors.ts";
import { sleep } from "../../shared/sleep.ts";
import { readSubmissions, type Submission, writeJobFile, writeSubmission } from "../../store/job-records.ts";
import type { RunPaths } from "../../store/run-paths.ts";
import { arrayLimit, arraysOf } from "./array-limit.ts";
import { type CallAnswer, callProgram } from "./call-program.ts";
import { describeJob, submissionOf } from "./describe-job.ts";
import type { JobOptions } from "./job-options.ts";
import { taskKey } from "./judge-tasks.ts";
import type { Call, OwnOptions, Scheduler, TaskSight } from "./scheduler.ts";
import { type WaitingTasks, withdrawTasks } from "./withdraw-tasks.ts";

/** The submissions of one run at one scheduler. */
export interface JobQueue {
  /** Submits so many tasks, in as many arrays as the scheduler's limit makes necessary. */
  submit(tasks: number, excluded?: readonly string[]): Promise<Submission[]>;
  /** One question about all that was submitted, unless some of it is elsewhere. */
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
  /**
   * What earlier drivers submitted and nobody has closed. Those whose answer was lost are looked for; one without an id is
   * still to be found, as the scheduler does not say whether it was made.
   */
  inherited(): Promise<Submission[]>;
  /** Nobody waits for what the scheduler has not answered yet. */
  drop?(): void;
}

type Look =
  /** The tasks that the scheduler knows, by {@link taskKey}. */
  | { readonly isAnswered: true; readonly sights: ReadonlyMap<string, TaskSight> }
  | { readonly isAnswered: false; readonly why: string };

/** What a scheduler says of a submission whose answer was lost. */
type Finding =
  | { readonly kind: "found"; readonly submission: Submission }
  | { readonly kind: "none" }
  | { readonly kind: "unknown"; readonly why: string };

const askTimeoutMs = 30_000;
// Schedulers serve many: arrays that do not fit into one are handed over at this pace.
const submitEveryMs = 500;
const submitTries = 4;
// An answer that was lost: the scheduler may still be working on the submission.
const findEveryMs = [500, 1000, 2000];
const passing =
  /temporarily|timed? ?out|unable to contact|connection (refused|reset)|try (again|later)|not responding|resource temporarily unavailable|communication error/i;
// The program was refused the answer, not the submission: it may have been made all the same.
const mayHaveBeenMade = /timed? ?out|connection reset|not responding|no response|communication (error|failure)/i;

export function openJobQueue(paths: RunPaths, scheduler: Scheduler, options: JobOptions): JobQueue {
  const unwanted = new AbortController();
  const ask = (call: Call, timeoutMs = askTimeoutMs) => callProgram(call, { timeoutMs, signal: unwanted.signal });
  // Others were submitted in their place; should they be made after all, they are cancelled.
  const late = new Map<string, Submission>();
  let limit: ReturnType<typeof arrayLimit> | undefined;
  let lastSubmitMs = Number.NEGATIVE_INFINITY;

  const withdraw = (waiting: readonly WaitingTasks[]) => withdrawTasks(paths, waiting, { scheduler, ask, ownOf });

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
    limit ??= arrayLimit(scheduler, options, ask);
    const { most, isKnown } = await limit;
    // Asked again before the next submission.
    if (!isKnown) limit = undefined;
    const made: Submission[] = [];
    for (const size of arraysOf(tasks, most)) {
      const waitMs = lastSubmitMs + submitEveryMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      try {
        made.push(await submitOne(size, excluded));
      } catch (error) {
        // A limit on how many jobs a user may have: those that were taken do the work of the others too.
        if (made.length === 0) throw error;
        const left = tasks - made.reduce((sum, one) => sum + one.tasks, 0);
        process.stderr.write(`millrace: ${left} of ${tasks} jobs were not submitted: ${messageOf(error)}\n`);
        break;
      }
      lastSubmitMs = performance.now();
    }
    return made;
  }

  async function submitOne(tasks: number, excluded: readonly string[]): Promise<Submission> {
    let why = "";
    // A submission of which nobody knows whether it was made.
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
      if (answer.kind === "absent" || (answer.kind === "refusal" && !mayHaveBeenMade.test(answer.why))) {
        writeSubmission(paths, { ...submission, isClosed: true });
        if (answer.kind === "absent") throw absent(scheduler, answer.why);
        if (!passing.test(answer.why)) break;
        continue;
      }
      const finding = await findSoon(submission);
      if (finding.kind === "found") return finding.submission;
      open = submission;
    }
    // Where the scheduler does not say, it stays open: whoever comes later finds it by its name.
    if (open !== undefined && (await find(open)).kind === "none") giveUp(open);
    throw new MillraceError("SCHEDULER_FAILED", `${scheduler.title} did not take the jobs: ${why}`, {
      hint: "Correct parallel.options; `millrace plan CONFIG` prints the job script, `millrace doctor` says whether this host reaches the scheduler. Nothing is lost: run again.",
    });
  }

  async function callSubmit(tasks: number, excluded: readonly string[]) {
    const job = describeJob(paths, options, { tasks, excluded });
    const file = writeJobFile(paths, job.name, scheduler.render(job));
    // Before the call: whatever becomes of this process, the submission can be found again by its name.
    const submission = note(submissionOf(job, scheduler));
    return { submission, answer: await ask(scheduler.submit(job, file), options.submitTimeoutSeconds * 1000) };
  }

  function note(submission: Submission): Submission {
    writeSubmission(paths, submission);
    return submission;
  }

  /** Another one is made in its place. A scheduler that hung may make it yet: its tasks find this, and leave. */
  function giveUp(submission: Submission): void {
    late.set(submission.name, note({ ...submission, isUnwanted: true }));
  }

  async function find(submission: Submission): Promise<Finding> {
    const { name } = submission;
    const answer = await ask(scheduler.find(name, ownOf(submission)));
    if (!isAnswer(answer)) return { kind: "unknown", why: answer.why };
    const id = scheduler.parseFound(answer.text, name);
    return id === undefined ? { kind: "none" } : { kind: "found", submission: note({ ...submission, id }) };
  }

  async function findSoon(submission: Submission): Promise<Finding> {
    let finding: Finding = { kind: "none" };
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
    const sights = new Map<string, TaskSight>();
    for (const place of places(known)) {
      const answer = await ask(scheduler.status(idsOf(place), ownOf(place[0]!)));
      if (!isAnswer(answer)) return { isAnswered: false, why: answer.why };
      const names = new Map(place.map((one) => [one.id, one]));
      for (const sight of scheduler.parseStatus(answer.text)) {
        const submission = names.get(sight.id);
        if (submission !== undefined) sights.set(taskKey(submission, sight.task), sight);
      }
    }
    await cancelLate();
    return { isAnswered: true, sights };
  }

  async function identify(submission: Submission): Promise<Finding> {
    return submission.id === undefined ? find(submission) : { kind: "found", submission };
  }

  async function recall(submission: Submission): Promise<TaskSight[]> {
    const { id } = submission;
    if (id === undefined || scheduler.history === undefined) return [];
    const answer = await ask(scheduler.history.ask(id, ownOf(submission)));
    return answer.kind === "answer" ? scheduler.history.parse(answer.text, id) : [];
  }

  async function cancel(submissions: readonly Submission[]): Promise<string | undefined> {
    let why: string | undefined;
    const known: Submission[] = [];
    for (const submission of submissions) {
      const finding = await identify(submission);
      if (finding.kind === "unknown") why = finding.why;
      else known.push(finding.kind === "found" ? finding.submission : submission);
    }
    for (const place of places(known)) {
      const answer =
        idsOf(place).length === 0 ? undefined : await ask(scheduler.cancel(idsOf(place), ownOf(place[0]!)));
      if (answer === undefined || isAnswer(answer)) close(place);
      else why = answer.why;
    }
    await cancelLate();
    return why;
  }

  async function cancelLate(): Promise<void> {
    for (const submission of late.values()) {
      const finding = await find(submission);
      if (finding.kind !== "found") continue;
      const { id } = finding.submission;
      if (isAnswer(await ask(scheduler.cancel([id!], ownOf(submission))))) close([finding.submission]);
    }
  }

  function close(submissions: readonly Submission[]): void {
    for (const submission of submissions) {
      late.delete(submission.name);
      note({ ...submission, isClosed: true, ...(submission.id === undefined ? { isUnwanted: true } : {}) });
    }
  }

  async function inherited(): Promise<Submission[]> {
    const all = readSubmissions(paths).filter(({ env, isClosed }) => env === scheduler.env && isClosed !== true);
    const found: Submission[] = [];
    for (const submission of all) {
      if (submission.isUnwanted) {
        late.set(submission.name, submission);
        continue;
      }
      const finding = await identify(submission);
      // One that the scheduler does not speak about may be there: others in its place would be too many.
      if (finding.kind !== "none") found.push(finding.kind === "found" ? finding.submission : submission);
    }
    return found;
  }

  function isAnswer(answer: CallAnswer): answer is Extract<CallAnswer, { readonly text: string }> {
    // Where some are gone, the others are told nevertheless.
    return answer.kind === "answer" || (answer.kind === "refusal" && scheduler.isGone?.(answer.why) === true);
  }

  function ownOf({ own }: Submission): OwnOptions {
    return own ?? options.own;
  }

  /** Submissions that one call can be about. A run that was moved may have some elsewhere. */
  function places(submissions: readonly Submission[]): Submission[][] {
    const byPlace = new Map<string, Submission[]>();
    for (const submission of submissions) {
      const place = JSON.stringify(ownOf(submission));
      byPlace.set(place, [...(byPlace.get(place) ?? []), submission]);
    }
    return [...byPlace.values()];
  }
}

function idsOf(submissions: readonly Submission[]): string[] {
  return submissions.flatMap(({ id }) => (id === undefined ? [] : [id]));
}

function absent({ title, env }: Scheduler, why: string): MillraceError {
  return new MillraceError("SCHEDULER_FAILED", `env: ${env} needs ${title}, but ${why}.`, {
    hint: `Start the run on a host from which jobs can be submitted; \`millrace doctor\` shows what answers here.`,
  });
}
