import type { ParallelConfig } from "../config/parallel.ts";
import type { Done } from "../store/done.ts";
import type { WorkerJob } from "../worker/run-worker.ts";

interface LaunchRequest {
  readonly runDir: string;
  readonly parallel: ParallelConfig;
  /** The work of a worker in this very process. Launchers that start others give them the run folder instead. */
  readonly inlineJob: WorkerJob;
}

/** Starts workers somewhere and answers when they are through. The run folder is their queue: nothing else is shared. */
export interface Launcher {
  readonly env: ParallelConfig["env"];
  /** Answers with the shards that are known to be committed, so that they need not be looked at again. */
  launch(request: LaunchRequest): Promise<ReadonlyMap<number, Done>>;
}
