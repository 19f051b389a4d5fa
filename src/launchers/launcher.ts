import type { ParallelConfig } from "../config/parallel.ts";
import type { Done } from "../store/done.ts";
import type { WorkerJob } from "../worker/worker-job.ts";

export interface LaunchRequest {
  readonly runDir: string;
  readonly parallel: ParallelConfig;
  /** The work of a worker in this very process. Launchers that start others give them the run folder instead. */
  readonly inlineJob: WorkerJob;
  readonly stop: StopRequests;
  /** How many shards are to do: no more workers than that are of use. */
  readonly pending: number;
}

/** How the user stops a run. */
export interface StopRequests {
  /** Once: workers save, give their shards back and leave. */
  readonly leave: AbortSignal;
  /** Twice: workers are ended at once. */
  readonly kill: AbortSignal;
}

/** Starts workers somewhere and answers when they are through. The run folder is their queue: nothing else is shared. */
export interface Launcher {
  readonly env: ParallelConfig["env"];
  /** Whether workers are started that find the user's classes by themselves. */
  readonly startsWorkers: boolean;
  /** Refuses options it cannot fulfil, before anything is made. */
  check(parallel: ParallelConfig): void;
  /** Answers with the shards that are known to be committed, so that they need not be looked at again. */
  launch(request: LaunchRequest): Promise<ReadonlyMap<number, Done>>;
}
