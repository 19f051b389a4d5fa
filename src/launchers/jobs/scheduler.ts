import type { ParallelEnv } from "../../config/parallel-envs.ts";
import type { JobOptions } from "./job-options.ts";

/** One call of an external program, without a shell: `args` reach the program unchanged. */
export interface Call {
  readonly program: string;
  readonly args: readonly string[];
  /** The standard input of the program. */
  readonly input?: string | undefined;
  /** The working folder, for programs that take only plain file names. */
  readonly cwd?: string | undefined;
}

/** One submission: an array of equal tasks, each of which keeps `options.processes` workers running. */
export interface Job {
  /** A unique name of letters, digits and dashes, at most 15 characters. The submission can be found by it. */
  readonly name: string;
  readonly tasks: number;
  readonly options: JobOptions;
  /** The command that each task runs, as words. */
  readonly command: readonly string[];
  /** The log of task `t` is this path followed by `.t.log`. */
  readonly log: string;
  /** Excluded nodes. */
  readonly excluded: readonly string[];
}

/**
 * `cancelled`: a user or operator ended it. `evicted`: its node failed, or it was preempted; its program is not the
 * cause. `unknown`: this dialect does not know the state; the task counts as alive.
 */
export type TaskState = "pending" | "running" | "ended" | "lost" | "evicted" | "cancelled" | "unknown";

/** The status of a task, as the scheduler reports it. */
export interface TaskStatus {
  /** The submission's id, as {@link Scheduler.parseSubmitted} read it. */
  readonly id: string;
  /** Counted from 0, also if the scheduler counts from 1. */
  readonly task: number;
  readonly state: TaskState;
  /** The state in the words of the scheduler. */
  readonly detail: string;
  readonly node: string | undefined;
}

/** Options that only one scheduler has, checked. Some are needed for every call (a namespace). */
export type SchedulerOptions = JobOptions["schedulerOptions"];

/** Where and when a task asks how long it may still run. */
export interface TaskMoment {
  readonly environment: NodeJS.ProcessEnv;
  readonly nowMs: number;
}

/** How a job asks to be run again after its end: by a call, or by its exit code. */
type Requeue = { readonly call: Call } | { readonly exitCode: number };

/**
 * The dialect of a scheduler: pure functions from jobs to text and calls, and from answers to data. It runs no program.
 * A member that a scheduler cannot support is left out.
 */
export interface Scheduler {
  readonly env: ParallelEnv;
  /** Its name in messages. */
  readonly title: string;
  /** Options in addition to those that all schedulers have. */
  readonly optionNames: readonly string[];
  /** Those of them that say where to call. They are stored in the record of the submission. */
  readonly placeOptions?: readonly string[];
  /**
   * The environment variable with the number of a task, and the number of the first task. A task without a number is
   * the first.
   */
  readonly taskVariable: string;
  readonly firstTask: 0 | 1;
  /**
   * The pattern of submission ids; none begins with a dash. Ids from a run folder that do not match are never used in a
   * call.
   */
  readonly idPattern: RegExp;
  /** The variable with the scheduler's name of the node, if that is not its host name. */
  readonly nodeVariable?: string;
  /** Makes the text that is submitted: a job script, or its equivalent. */
  render(job: Job): string;
  /** The call that submits; `file` holds the text from `render`. */
  submit(job: Job, file: string): Call;
  /** The id in the output of the call; undefined if there is none. */
  parseSubmitted(answer: string): string | undefined;
  /** One call for the status of all submissions of a run. */
  status(ids: readonly string[], schedulerOptions: SchedulerOptions): Call;
  /** The tasks in an answer, which may have more submissions than asked for, even of other runs. */
  parseStatus(answer: string): TaskStatus[];
  /**
   * Whether a refusal only means that some ids are not known any more. Then the output is the status of the others.
   * Calls that cancel or find may be refused in this way too.
   */
  isGone?(refusal: string): boolean;
  /** The accounting: how tasks ended that are not in the status any more. */
  readonly history?: {
    ask(id: string, schedulerOptions: SchedulerOptions): Call;
    parse(answer: string, id: string): TaskStatus[];
  };
  cancel(ids: readonly string[], schedulerOptions: SchedulerOptions): Call;
  /** Cancels pending tasks of a submission. A task that has begun in the meantime may continue. */
  cancelWaiting?(id: string, tasks: readonly number[], schedulerOptions: SchedulerOptions): Call;
  /** Finds a submission by its name, if the answer to its call was lost. */
  find(name: string, schedulerOptions: SchedulerOptions): Call;
  parseFound(answer: string, name: string): string | undefined;
  /** How many tasks an array may have. */
  readonly arrayLimit?: { readonly ask: Call; parse(answer: string): number | undefined };
  /** Called inside a job: how many seconds it may still run. */
  readonly timeLeft?: {
    ask(environment: NodeJS.ProcessEnv): Call | undefined;
    parse(answer: string, moment: TaskMoment): number | undefined;
  };
  /** Called inside a job: how it asks to be run again. Undefined if it cannot. */
  requeue?(environment: NodeJS.ProcessEnv): Requeue | undefined;
  /** The exit code of a task that received a signal to leave, if it would not be run again after 0. */
  readonly leavingCode?: number;
  /** Whether nodes can be excluded. */
  readonly canExclude: boolean;
}
