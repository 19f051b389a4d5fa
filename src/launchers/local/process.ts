import { checkCountOptions } from "../check-options.ts";
import type { PooledLauncher } from "../launcher.ts";
import { openProcessPool } from "./process-pool.ts";
import { threadVariables } from "./thread-variables.ts";

export const processOptions = ["threads_per_worker", "max_heap_mb"] as const;

/** `env: process`: child processes on this machine. A native crash ends one worker, not the run. */
export const processLauncher: PooledLauncher = {
  kind: "pooled",
  env: "process",
  check: (parallel) => void checkCountOptions(parallel, processOptions),
  openPool({ runDir, parallel, early }) {
    const { threads_per_worker: threads, max_heap_mb: maxHeapMb } = checkCountOptions(parallel, processOptions);
    const variables = threadVariables(parallel.nWorkers, threads);
    return openProcessPool({ runDir, maxHeapMb, early, workers: parallel.nWorkers, variables: () => variables });
  },
};
