import { checkCountOptions } from "./check-options.ts";
import type { Launcher } from "./launcher.ts";
import { superviseProcesses } from "./supervise-processes.ts";
import { threadVariables } from "./thread-variables.ts";

export const processOptions = ["threads_per_worker", "max_heap_mb"] as const;

/** `env: process`: child processes on this machine. A native crash ends one of them, never the run. */
export const processLauncher: Launcher = {
  env: "process",
  startsWorkers: true,
  check: (parallel) => void checkCountOptions(parallel, processOptions),
  launch(request) {
    const { parallel } = request;
    const { threads_per_worker: threads, max_heap_mb: maxHeapMb } = checkCountOptions(parallel, processOptions);
    const variables = threadVariables(parallel.nWorkers, threads);
    return superviseProcesses(request, { maxHeapMb, variables: () => variables });
  },
};
