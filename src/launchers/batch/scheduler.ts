import type { ParallelEnv } from "../../config/parallel-envs.ts";
import type { JobOptions } from "./job-options.ts";

/** One call of a foreign program. Never a shell string: what stands in `args` reaches the program as it is. */
export interface Call {
  readonly program: string;
  readonly args: readonly string[];
  /** What the program reads from its standard input. */
  readonly input?: string | undefined;
  /** Where it is started; a program that takes only plain file names is given one by this. */
  readonly cwd?: string | undefined;
}

/** One submission: an array of tasks that all do the same, each keeping `options.processes` workers at work. */
export interface Job {
  /** Unique, of letters, digits and dashes, at most 15 characters: the submission is found again by it. */
  readonly name: string;
  readonly tasks: number;
  readonly options: JobOptions;
  /** What each task runs, word by word. */
  readonly command: readonly string[];
  /** Where the output of task `t` goes: this, a dot, `t` and `.log`. */
  readonly log: string;
  /** Nodes that are not to be used again. */
  readonly excluded: readonly string[];
}

/**
 * `cancelled`: someone wanted it to end. `evicted`: its node failed, or it had to make room; what it ran is not the cause.
 * `unknown`: a state this dialect does not know; it is taken for alive.
 */
export type TaskState = "pending" | "running" | "ended" | "lost" | "evicted" | "cancelled" | "unknown";

/** A task as the scheduler sees it. */
export interface TaskSight {
  /** The submission's id, as {@link Scheduler.parseSubmitted} read it. */
  readonly id: string;
  /** Counted from 0, whatever the scheduler counts from. */
  readonly task: number;
  readonly state: TaskState;
  /** The scheduler's own words. */
  readonly detail: string;
  readonly node: string | undefined;
}

/** What only one scheduler knows of a config: `parallel.options`, checked. Some need it for every call (a namespace). */
export type OwnOptions = JobOptions["own"];

/** Where and when a task asks how long it may still run. */
export interface TaskMoment {
  readonly environment: NodeJS.ProcessEnv;
  readonly nowMs: number;
}

/** How a job asks to be run again once it has ended: by a call, or by the exit code that means so. */
type Requeue = { readonly call: Call } | { readonly exitCode: number };

/**
 * The dialect of a scheduler: pure functions from jobs to text and calls, and from answers to facts. Nothing here runs
 * anything. A scheduler that cannot do something leaves the member out.
 */
export interface Scheduler {
  readonly env: ParallelEnv;
  /** Its name in messages. */
  readonly title: string;
  /** Options beside those that all have. */
  readonly ownOptions: readonly string[];
  /** Those of them that decide where every later call must go: they are kept with the submission. */
  readonly placeOptions?: readonly string[];
  /** The variable in which a task finds its number, and the number of the first one. Absent or no number: the first. */
  readonly taskVariable: string;
  readonly firstTask: 0 | 1;
  /** The variable that names the node as the scheduler does, where that is not its host name. */
  readonly nodeVariable?: string;
  /** What is submitted: a job script, or what the scheduler takes for one. */
  render(job: Job): string;
  /** The call that submits; `file` holds what `render` made. */
  submit(job: Job, file: string): Call;
  /** The id in what the call printed; undefined where there is none. */
  parseSubmitted(answer: string): string | undefined;
  /** One question about all submissions of a run. */
  status(ids: readonly string[], own: OwnOptions): Call;
  /** The tasks in an answer. It may hold more submissions than were asked for, and those of other runs. */
  parseStatus(answer: string): TaskSight[];
  /**
   * Whether a refusal says no more than that some of the ids are not known any more. Of the others the status is in what
   * the program printed nevertheless; a call that cancels or finds may be refused so too.
   */
  isGone?(refusal: string): boolean;
  /** How tasks ended that are not in the status any more. */
  readonly history?: {
    ask(id: string, own: OwnOptions): Call;
    parse(answer: string, id: string): TaskSight[];
  };
  cancel(ids: readonly string[], own: OwnOptions): Call;
  /** Cancels tasks of a submission that wait; one that has begun meanwhile may go on. Absent: they cannot be taken back. */
  cancelWaiting?(id: string, tasks: readonly number[], own: OwnOptions): Call;
  /** Looks for a submission by its name: the answer to its call may have been lost. */
  find(name: string, own: OwnOptions): Call;
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
  /** What a task exits with that the scheduler tells to leave, where 0 would keep it from being run again. */
  readonly leavingCode?: number;
  /** Whether nodes can be excluded. */
  readonly canExclude: boolean;
}
