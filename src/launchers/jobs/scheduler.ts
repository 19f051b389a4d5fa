import type { ParallelEnv } from "../../config/parallel-envs.ts";
import type { JobOptions } from "./job-options.ts";

/** One call of an external program. Never a shell string: `args` reach the program unchanged. */
export interface Call {
  readonly program: string;
  readonly args: readonly string[];
  /** What the program reads from its standard input. */
  readonly input?: string | undefined;
  /** The folder it is started in, for programs that take only plain file names. */
  readonly cwd?: string | undefined;
}

/** One submission: an array of equal tasks, each of which keeps `options.processes` workers running. */
export interface Job {
  /** Unique, of letters, digits and dashes, at most 15 characters: the submission is found again by it. */
  readonly name: string;
  readonly tasks: number;
  readonly options: JobOptions;
  /** What each task runs, word by word. */
  readonly command: readonly string[];
  /** Where the output of task `t` goes: this, a dot, `t` and `.log`. */
  readonly log: string;
  /** Excluded nodes. */
  readonly excluded: readonly string[];
}

/**
 * `cancelled`: a user or operator ended it. `evicted`: its node failed, or it was preempted; what it ran is not the
 * cause. `unknown`: a state this dialect does not know; it counts as alive.
 */
export type TaskState = "pending" | "running" | "ended" | "lost" | "evicted" | "cancelled" | "unknown";

/** The status of a task, as the scheduler reports it. */
export interface TaskStatus {
  /** The submission's id, as {@link Scheduler.parseSubmitted} read it. */
  readonly id: string;
  /** Counted from 0, whatever the scheduler counts from. */
  readonly task: number;
  readonly state: TaskState;
  /** The scheduler's own words. */
  readonly detail: string;
  readonly node: string | undefined;
}

/** Options of one scheduler only, checked. Some are needed for every call (a namespace). */
export type SchedulerOptions = JobOptions["schedulerOptions"];

/** Where and when a task asks how long it may still run. */
export interface TaskMoment {
  readonly environment: NodeJS.ProcessEnv;
  readonly nowMs: number;
}

/** How a job asks to be run again after its end: by a call, or by its exit code. */
type Requeue = { readonly call: Call } | { readonly exitCode: number };

/**
 * The dialect of a scheduler: pure functions from jobs to text and calls, and from answers to facts. Nothing here runs
 * anything. A scheduler that cannot do something leaves the member out.
 */
export interface Scheduler {
  readonly env: ParallelEnv;
  /** Its name in messages. */
  readonly title: string;
  /** Options in addition to those that all schedulers have. */
  readonly optionNames: readonly string[];
  /** Those of them that name the place to call: they are kept in the record of the submission. */
  readonly placeOptions?: readonly string[];
  /** The variable in which a task finds its number, and the number of the first one. Absent or no number: the first. */
  readonly taskVariable: string;
  readonly firstTask: 0 | 1;
  /**
   * The pattern of submission ids; none begins with a dash. Ids from a run folder that do not match are never used in a
   * call.
   */
  readonly idPattern: RegExp;
  /** The variable that names the node as the scheduler does, where that is not its host name. */
  readonly nodeVariable?: string;
  /** What is submitted: a job script, or what the scheduler takes for one. */
  render(job: Job): string;
  /** The call that submits; `file` holds what `render` made. */
  submit(job: Job, file: string): Call;
  /** The id in what the call printed; undefined where there is none. */
  parseSubmitted(answer: string): string | undefined;
  /** One call for the status of all submissions of a run. */
  status(ids: readonly string[], schedulerOptions: SchedulerOptions): Call;
  /** The tasks in an answer. It may hold more submissions than were asked for, and those of other runs. */
  parseStatus(answer: string): TaskStatus[];
  /**
   * Whether a refusal only means that some ids are not known any more. The program has printed the status of the others
   * nevertheless; calls that cancel or find may be refused like this too.
   */
  isGone?(refusal: string): boolean;
  /** How tasks ended that are not in the status any more. */
  readonly history?: {
    ask(id: string, schedulerOptions: SchedulerOptions): Call;
    parse(answer: string, id: string): TaskStatus[];
  };
  cancel(ids: readonly string[], schedulerOptions: SchedulerOptions): Call;
  /**
   * Cancels pending tasks of a submission; one that has begun meanwhile may continue. Absent: the scheduler cannot do it.
   */
  cancelWaiting?(id: string, tasks: readonly number[], schedulerOptions: SchedulerOptions): Call;
  /** Looks for a submission by its name: the answer to its call may have been lost. */
  find(name: string, schedulerOptions: SchedulerOptions): Call;
  parseFound(answer: string, name: string): string | undefined;
  /** How many tasks an array may have. */
  readonly arrayLimit?: { readonly ask: Call; parse(answer: string): number | undefined };
  /** Asked inside a job: how many seconds it may still run. */
  readonly timeLeft?: {
    ask(environment: NodeJS.ProcessEnv): Call | undefined;
    parse(answer: string, moment: TaskMoment): number | undefined;
  };
  /** Asked inside a job: how it is run again. Undefined where it cannot be. */
  requeue?(environment: NodeJS.ProcessEnv): Requeue | undefined;
  /** The exit code of a task that received a signal to leave, where 0 would keep it from being run again. */
  readonly leavingCode?: number;
  /** Whether nodes can be excluded. */
  readonly canExclude: boolean;
}
