import { type MillraceError, messageOf } from "../../shared/errors.ts";
import { unpackError } from "../../shared/pack-error.ts";
import { readTaskReport, type Submission } from "../../store/job-records.ts";
import type { RunPaths } from "../../store/run-paths.ts";
import type { JobQueue } from "./job-queue.ts";
import { judgeTask, taskKey, type Verdict } from "./judge-tasks.ts";
import type { Scheduler, TaskSight, TaskState } from "./scheduler.ts";
import type { WaitingTasks } from "./withdraw-tasks.ts";

/** How the jobs of a run stand. */
interface JobCounts {
  readonly pending: number;
  readonly running: number;
  /** Those that ended as they should. */
  readonly over: number;
  readonly lost: number;
}

/** A task that ended before it was of use, or vanished. */
export interface LostTask {
  readonly kind: "due" | "failed" | "lost";
  readonly node: string | undefined;
  readonly why: string;
  readonly error: MillraceError | undefined;
}

const endStates: readonly TaskState[] = ["ended", "lost", "evicted", "cancelled"];

function isOver(sight: TaskSight | undefined): boolean {
  return sight === undefined || endStates.includes(sight.state);
}

// A single word is the name of the state: idle, PEND, qw.
function isReason(detail: string): boolean {
  return /[\s,(]/.test(detail);
}

/** Follows the tasks of a run from look to look. */
export interface JobWatch {
  /** Follows these too; those it knows already are left out. */
  add(submissions: readonly Submission[]): void;
  readonly submissions: readonly Submission[];
  /** Asks the scheduler once. Answers the tasks that were lost since the last look. */
  look(): Promise<readonly LostTask[]>;
  counts(): JobCounts;
  /** The submissions of which a task is pending or running. */
  living(): Submission[];
  /** Those of which no task has begun. */
  waiting(): Submission[];
  /** The tasks that have not begun, also of submissions of which others have. */
  waitingTasks(): WaitingTasks[];
  /** Whether a worker of any task has built its env. */
  wasAnyReady(): boolean;
  /** What the scheduler says of tasks that wait, of most of them; undefined where it says no more than that they do. */
  waitingFor(): string | undefined;
  /** Why the scheduler could not be asked the last time. */
  silence(): string | undefined;
  /** Whether the scheduler has told of an end that the next looks are to confirm. */
  isInDoubt(): boolean;
}

interface Followed {
  readonly submission: Submission;
  readonly task: number;
  sight: TaskSight | undefined;
  node: string | undefined;
  missing: number;
  verdict: Verdict;
}

const final: readonly Verdict[] = ["over", "due", "failed", "lost"];

export function watchJobs(paths: RunPaths, queue: JobQueue, { title }: Pick<Scheduler, "title">): JobWatch {
  const submissions: Submission[] = [];
  const tasks = new Map<string, Followed>();
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
            sight: undefined,
            node: undefined,
            missing: 0,
            verdict: "pending",
          });
    },
    async look() {
      const open = [...tasks.values()].filter(({ verdict }) => !final.includes(verdict));
      const asked = submissions.filter((one) => open.some(({ submission }) => submission === one));
      const answer = await queue.look(asked);
      silence = answer.isAnswered ? undefined : answer.why;
      if (answer.isAnswered) see(open, answer.sights);
      await lookBack(open);
      return open.flatMap(judge);
    },
    counts() {
      const counts = { pending: 0, running: 0, over: 0, lost: 0 };
      for (const { verdict } of tasks.values())
        counts[verdict === "failed" || verdict === "lost" ? "lost" : verdict === "due" ? "over" : verdict]++;
      return counts;
    },
    living() {
      const open = new Set([...tasks.values()].flatMap((one) => (final.includes(one.verdict) ? [] : one.submission)));
      return submissions.filter((submission) => open.has(submission));
    },
    waiting() {
      const begun = new Set([...tasks.values()].flatMap((one) => (one.verdict === "pending" ? [] : one.submission)));
      return submissions.filter((submission) => !begun.has(submission));
    },
    waitingTasks() {
      const bySubmission = new Map<Submission, number[]>();
      for (const { submission, task, verdict } of tasks.values())
        if (verdict === "pending") bySubmission.set(submission, [...(bySubmission.get(submission) ?? []), task]);
      return [...bySubmission].map(([submission, waiting]) => ({ submission, tasks: waiting }));
    },
    wasAnyReady: () => isReady,
    waitingFor() {
      const times = new Map<string, number>();
      for (const { verdict, sight } of tasks.values())
        if (verdict === "pending" && sight?.state === "pending" && isReason(sight.detail))
          times.set(sight.detail, (times.get(sight.detail) ?? 0) + 1);
      return [...times].sort(([, a], [, b]) => b - a)[0]?.[0];
    },
    silence: () => silence,
    isInDoubt: () => [...tasks.values()].some(({ verdict, missing }) => missing > 0 && !final.includes(verdict)),
  };

  function see(open: readonly Followed[], sights: ReadonlyMap<string, TaskSight>): void {
    for (const followed of open) {
      followed.sight = sights.get(taskKey(followed.submission, followed.task));
      followed.missing = isOver(followed.sight) ? followed.missing + 1 : 0;
      followed.node = followed.sight?.node ?? followed.node;
    }
  }

  /** Some schedulers forget a task when it ends; their accounts tell how. */
  async function lookBack(open: readonly Followed[]): Promise<void> {
    const gone = open.filter(
      ({ sight, missing, submission, task }) => sight === undefined && missing > 1 && !hasEnded(submission, task),
    );
    for (const submission of new Set(gone.map((one) => one.submission))) {
      const past = new Map((await queue.recall(submission)).map((sight) => [sight.task, sight]));
      for (const followed of gone) {
        if (followed.submission !== submission) continue;
        followed.sight = past.get(followed.task);
        followed.node = followed.sight?.node ?? followed.node;
      }
    }
  }

  function hasEnded(submission: Submission, task: number): boolean {
    return readTaskReport(paths, submission.name, task)?.outcome !== undefined;
  }

  function judge(followed: Followed): LostTask[] {
    const { submission, task, sight, missing } = followed;
    const report = readTaskReport(paths, submission.name, task);
    if (report?.wasReady) isReady = true;
    followed.verdict = judgeTask({ sight, report, missing });
    const { verdict } = followed;
    if (verdict !== "due" && verdict !== "failed" && verdict !== "lost") return [];
    const error = report?.error === undefined ? undefined : unpackError(report.error);
    const said = sight === undefined ? `${title} does not know it any more` : `${title} says ${sight.detail}`;
    const isLate = report?.outcome === "deadline" && !report.wasReady;
    const why = isLate ? "its time was up before a worker was ready" : error === undefined ? said : messageOf(error);
    return [{ kind: verdict, node: followed.node ?? report?.node, why, error }];
  }
}
