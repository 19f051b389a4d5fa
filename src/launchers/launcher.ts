import type { ParallelConfig } from "../config/parallel.ts";
import type { DetachedJob } from "../contract/task.ts";
import type { MillraceError } from "../errors/errors.ts";
import type { WorkerExit } from "../run-folder/history/attempt-notes.ts";
import type { KnownShard } from "../run-folder/shard/known-shard.ts";
import type { JoinOutcome, WorkerRequest } from "../worker/messages.ts";
import type { WorkerContext } from "../worker/worker-context.ts";

/** Starts workers. They share only the run folder, which is their queue. */
export type Launcher = InlineLauncher | PooledLauncher | QueuedLauncher;

interface AnyLauncher {
  readonly env: ParallelConfig["env"];
  /** Throws if it cannot fulfil the options. Called before anything is made. */
  check(parallel: ParallelConfig): void;
}

/** Runs one worker in this process. */
export interface InlineLauncher extends AnyLauncher {
  readonly kind: "inline";
  run(worker: WorkerContext, stop: StopRequests): Promise<Committed>;
}

/** Keeps workers running on this machine. They end with this process. */
export interface PooledLauncher extends AnyLauncher {
  readonly kind: "pooled";
  /** Opens a pool of workers. Some are started before the run is prepared, to save time. */
  openPool(request: PoolRequest): WorkerPool;
}

/** Starts workers in jobs, on other hosts. Jobs need to see whether this process is alive. */
export interface QueuedLauncher extends AnyLauncher {
  readonly kind: "queued";
  /** Whether the jobs of `drive` continue without this process. */
  readonly outlivesDriver: boolean;
  /** Submits jobs and replaces those that are lost, until the run is complete. */
  drive(request: LaunchRequest): Promise<Committed>;
  /** Submits jobs that need no driver, and does not wait for them. */
  submit(request: SubmitRequest): Promise<readonly DetachedJob[]>;
  /** Describes what would be submitted. */
  describe(request: SubmitRequest): JobDescription;
}

/** The shards that are known to be committed, so that they need not be inspected again. */
export type Committed = ReadonlyMap<number, KnownShard>;

export interface LaunchRequest extends SubmitRequest {
  /** This process as a member of the run. */
  readonly worker: WorkerContext;
  readonly stop: StopRequests;
}

/** The data needed to submit jobs that continue without this process. */
export interface SubmitRequest {
  readonly runDir: string;
  readonly parallel: ParallelConfig;
  /** How many shards are open: more workers than that would be useless. */
  readonly pending: number;
}

interface PoolRequest {
  readonly runDir: string;
  readonly parallel: ParallelConfig;
  /** How many workers will certainly be needed; 0 while that is not known. */
  readonly early: number;
}

/** A source of workers that wait for the request to begin. */
export interface WorkerPool {
  readonly start: StartWorker;
  /** Ends the workers that were never used. */
  close(): void;
}

/** A started worker, as its launcher sees it. */
export interface StartedWorker {
  readonly name: string;
  readonly ended: Promise<WorkerEnd>;
  send(request: WorkerRequest): void;
  /** Kills it. */
  kill(): void;
}

export type WorkerEnd =
  | { readonly kind: JoinOutcome; readonly committed: readonly KnownShard[] }
  | { readonly kind: "failed"; readonly error: MillraceError }
  | CrashedEnd;

export type StartWorker = (place: { readonly name: string; readonly slot: number }) => StartedWorker;

/** A worker that ended without a final message. */
export interface CrashedEnd {
  readonly kind: "crashed";
  readonly exit: WorkerExit;
  /** Whether its env was built. */
  readonly wasReady: boolean;
  /** The end of its stderr. */
  readonly lastOutput: string;
}

/** The two requests with which a user stops a run. */
export interface StopRequests {
  /** The first request: workers save, release their shards and leave. The reason is "signal" after Ctrl-C. */
  readonly leave: AbortSignal;
  /** The second request: workers are killed. */
  readonly kill: AbortSignal;
}

interface JobDescription {
  /** The first job script, or the calls that start the jobs. */
  readonly text: string;
  /** The number of tasks of each submission. The scripts of the others differ only in their name and this number. */
  readonly tasks: readonly number[];
}

/** Whether the workers of a run continue without its driver. */
export function outlivesDriver(launcher: Launcher): boolean {
  return launcher.kind === "queued" && launcher.outlivesDriver;
}
