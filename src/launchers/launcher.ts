import type { ParallelConfig } from "../config/parallel.ts";
import type { WorkerJob } from "../worker/run-worker.ts";

export interface LaunchRequest {
  readonly runDir: string;
  readonly parallel: ParallelConfig;
  /** The work of a worker in this very process. Launchers that start others give them the run folder instead. */
  readonly inlineJob: WorkerJob;
}

/** Starts workers somewhere and answers when they are through. The run folder is their queue: nothing else is shared. */
export interface Launcher {
  readonly env: ParallelConfig["env"];
  launch(request: LaunchRequest): Promise<"complete" | "left">;
}
