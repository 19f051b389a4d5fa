import { type MillraceError, messageOf } from "../../errors/errors.ts";
import { unpackError } from "../../errors/pack-error.ts";
import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { readTaskReport, type Submission } from "../../run-folder/jobs/job-records.ts";
import type { JobQueue } from "./job-queue.ts";
import { judgeTask, type TaskPhase, taskKey } from "./judge-tasks.ts";
import type { Scheduler, TaskState, TaskStatus } from "./scheduler.ts";
import type { WaitingTasks } from "./withdraw-tasks.ts";

/** The number of tasks in each state. */
interface JobCounts {
  readonly pending: number;
  readonly running: number;
  /** Those that ended as expected. */
  readonly over: number;
  readonly lost: number;
}

/** A task that must be replaced. */
export interface LostTask {
  readonly kind: "due" | "failed" | "lost";
  readonly node: string | undefined;
  readonly why: string;
  readonly error: MillraceError | undefined;
}

const endStates: readonly TaskState[] = ["ended", "lost", "evicted", "cancelled"];

function hasEndState(status: TaskStatus | undefined): boolean {
  return status === undefined || endStates.includes(status.state);
}

// Whether a detail is a reason. A single word is only the name of the state: idle, PEND, qw.
function isReason(detail: string): boolean {
  return /[\s,(]/.test(detail);
}

/** Watches the tasks of a run over several status calls. */
export interface JobWatch {
  /** Watches these submissions too. Known ones are ignored. */
  add(submissions: readonly Submission[]): void;
  readonly submissions: readonly Submission[];
  /** Asks the scheduler once. Returns the tasks that were lost since the last call. */
  look(): Promise<readonly LostTask[]>;
  counts(): JobCounts;
  /** The submissions that have a pending or running task. */
  living(): Submission[];
  /** The submissions of which no task has begun. */
  waiting(): Submission[];
  /** All tasks that have not begun. */
  waitingTasks(): WaitingTasks[];
  /** Whether a worker of any task has built its env. */
  wasAnyReady(): boolean;
  /** The most frequent reason why tasks are pending; undefined if the scheduler gives none. */
  waitingFor(): string | undefined;
  /** Why the scheduler did not answer the last call; undefined if it did. */
  silence(): string | undefined;
  /** Whether a task may have ended and the next calls must confirm it. */
  isInDoubt(): boolean;
}

interface WatchedTask {
  readonly submission: Submission;
  readonly task: number;
  status: TaskStatus | undefined;
  node: string | undefined;
  missing: number;
  phase: TaskPhase;
}

const final: readonly TaskPhase[] = ["over", "due", "failed", "lost"];

export function watchJobs(paths: RunPaths, queue: JobQueue, { title }: Pick<Scheduler, "title">): JobWatch {
  const submissions: Submission[] = [];
  const tasks = new Map<string, WatchedTask>();
  let isReady = false;
  let silence: string | undefined;

  return {
    submissions,
    add(more) {
      const fresh = more.filter(({ name }) => !submissions.some((known) => known.name === name));
      submissions.push(...fresh);
      for (const submission of fresh)
        for (let task = 0; task < submission.tasks; task++)
          tasks.set(taskKey(submission, task), {
            submission,
            task,
            status: undefined,
            node: undefined,
            missing: 0,
            phase: "pending",
          });
    },
    async look() {
      const open = [...tasks.values()].filter(({ phase }) => !final.includes(phase));
      const asked = submissions.filter((one) => open.some(({ submission }) => submission === one));
      const answer = await queue.look(asked);
      silence = answer.isAnswered ? undefined : answer.why;
      if (answer.isAnswered) update(open, answer.statuses);
      await readHistory(open);
      return open.flatMap(judge);
    },
    counts() {
      const counts = { pending: 0, running: 0, over: 0, lost: 0 };
      for (const { phase } of tasks.values())
        counts[phase === "failed" || phase === "lost" ? "lost" : phase === "due" ? "over" : phase]++;
      return counts;
    },
    living() {
      const open = new Set([...tasks.values()].flatMap((one) => (final.includes(one.phase) ? [] : one.submission)));
      return submissions.filter((submission) => open.has(submission));
    },
    waiting() {
      const begun = new Set([...tasks.values()].flatMap((one) => (one.phase === "pending" ? [] : one.submission)));
      return submissions.filter((submission) => !begun.has(submission));
    },
    waitingTasks() {
      const bySubmission = new Map<Submission, number[]>();
      for (const { submission, task, phase } of tasks.values())
        if (phase === "pending") bySubmission.set(submission, [...(bySubmission.get(submission) ?? []), task]);
      return [...bySubmission].map(([submission, waiting]) => ({ submission, tasks: waiting }));
    },
    wasAnyReady: () => isReady,
    waitingFor() {
      const times = new Map<string, number>();
      for (const { phase, status } of tasks.values())
        if (phase === "pending" && status?.state === "pending" && isReason(status.detail))
          times.set(status.detail, (times.get(status.detail) ?? 0) + 1);
      return [...times].sort(([, a], [, b]) => b - a)[0]?.[0];
    },
    silence: () => silence,
    isInDoubt: () => [...tasks.values()].some(({ phase, missing }) => missing > 0 && !final.includes(phase)),
  };

  function update(open: readonly WatchedTask[], statuses: ReadonlyMap<string, TaskStatus>): void {
    for (const followed of open) {
      followed.status = statuses.get(taskKey(followed.submission, followed.task));
      followed.missing = hasEndState(followed.status) ? followed.missing + 1 : 0;
      followed.node = followed.status?.node ?? followed.node;
    }
  }

  /** Asks the accounting how tasks ended: some schedulers drop a task from the status when it ends. */
  async function readHistory(open: readonly WatchedTask[]): Promise<void> {
    const gone = open.filter(
      ({ status, missing, submission, task }) => status === undefined && missing > 1 && !hasEnded(submission, task),
    );
    for (const submission of new Set(gone.map((one) => one.submission))) {
      const past = new Map((await queue.askHistory(submission)).map((status) => [status.task, status]));
      for (const followed of gone) {
        if (followed.submission !== submission) continue;
        followed.status = past.get(followed.task);
        followed.node = followed.status?.node ?? followed.node;
      }
    }
  }

  function hasEnded(submission: Submission, task: number): boolean {
    return readTaskReport(paths, submission.name, task)?.outcome !== undefined;
  }

  function judge(followed: WatchedTask): LostTask[] {
    const { submission, task, status, missing } = followed;
    const report = readTaskReport(paths, submission.name, task);
    if (report?.wasReady) isReady = true;
    followed.phase = judgeTask({ status, report, missing });
    const { phase } = followed;
    if (phase !== "due" && phase !== "failed" && phase !== "lost") return [];
    const error = report?.error === undefined ? undefined : unpackError(report.error);
    const detail = status === undefined ? `${title} does not know it any more` : `${title} says ${status.detail}`;
    const isLate = report?.outcome === "deadline" && !report.wasReady;
    const why = isLate ? "its time was up before a worker was ready" : error === undefined ? detail : messageOf(error);
    return [{ kind: phase, node: followed.node ?? report?.node, why, error }];
  }
}
