import type { ParallelConfig } from "../config/parallel.ts";
import type { KnownShard } from "../store/known-shard.ts";
import { runPaths } from "../store/run-paths.ts";
import type { WorkerJob } from "../worker/worker-job.ts";
import type { StartWorker, Supervision } from "./supervise.ts";

export interface LaunchRequest {
  readonly runDir: string;
  readonly parallel: ParallelConfig;
  /** The work of a worker in this very process. Launchers that start others give them the run folder instead. */
  readonly inlineJob: WorkerJob;
  readonly stop: StopRequests;
  /** How many shards are to do: no more workers than that are of use. */
  readonly pending: number;
  /** What {@link Launcher.openPool} has opened. */
  readonly pool: WorkerPool | undefined;
}

interface PoolRequest {
  readonly runDir: string;
  readonly parallel: ParallelConfig;
  /** How many workers will be needed for sure; none while that is not known. */
  readonly early: number;
}

/** A source of workers that begin when they are told to. */
export interface WorkerPool {
  readonly start: StartWorker;
  /** Ends those that were never asked for. */
  close(): void;
}

/** How the user stops a run. */
export interface StopRequests {
  /** Once: workers save, give their shards back and leave. Its reason is "signal" after Ctrl-C. */
  readonly leave: AbortSignal;
  /** Twice: workers are ended at once. */
  readonly kill: AbortSignal;
}

/** A job that goes on without the process that submitted it. */
export interface DetachedJob {
  readonly env: string;
  /** The scheduler's id of the submission. */
  readonly id: string;
  /** Its name there. */
  readonly name: string;
  /** Tasks of the array, and workers in all of them. */
  readonly tasks: number;
  readonly workers: number;
  readonly runDir: string;
}

/** Starts workers somewhere and answers when they are through. The run folder is their queue: nothing else is shared. */
export interface Launcher {
  readonly env: ParallelConfig["env"];
  /** Whether workers are started that find the user's classes by themselves. */
  readonly startsWorkers: boolean;
  /** Whether workers are on other hosts: they must be able to see that this process is there. */
  readonly isRemote?: boolean;
  /** Whether they go on when this process has gone. */
  readonly outlivesDriver?: boolean;
  /** Refuses options it cannot fulfil, before anything is made. */
  check(parallel: ParallelConfig): void;
  /** Starts workers before the run is prepared, where that saves time. */
  openPool?(request: PoolRequest): WorkerPool;
  /** Answers with the shards that are known to be committed, so that they need not be looked at again. */
  launch(request: LaunchRequest): Promise<ReadonlyMap<number, KnownShard>>;
  /** Starts workers that need nobody, and does not wait for them. */
  submit?(request: SubmitRequest): Promise<readonly DetachedJob[]>;
  /** What would be submitted. */
  describe?(request: SubmitRequest): JobDescription;
}

/** What would be handed over. */
interface JobDescription {
  /** The first job script, or the calls that start the jobs. */
  readonly text: string;
  /** The tasks of each submission; the scripts of the others differ in their name and this number only. */
  readonly tasks: readonly number[];
}

/** What is needed to start workers and leave. */
export type SubmitRequest = Pick<LaunchRequest, "runDir" | "parallel" | "pending">;

/** What a launch on this machine is to keep at work. */
export function supervisionOf({ runDir, stop, parallel, pending }: LaunchRequest): Supervision {
  return { paths: runPaths(runDir), stop, slots: Math.min(parallel.nWorkers, pending) };
}
