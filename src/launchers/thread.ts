import { checkCountOptions } from "./check-options.ts";
import { openEarlyPool } from "./early-pool.ts";
import { type Launcher, supervisionOf } from "./launcher.ts";
import { startThread } from "./start-thread.ts";
import { supervise } from "./supervise.ts";

const threadOptions = ["max_heap_mb"] as const;

/**
 * `env: thread`: threads of this process, for pure JavaScript. They start faster than processes; a native crash ends them
 * all, and native addons may not be made for threads.
 */
export const threadLauncher: Launcher = {
  env: "thread",
  startsWorkers: true,
  check: (parallel) => void checkCountOptions(parallel, threadOptions),
  openPool({ runDir, parallel, early }) {
    const { max_heap_mb: maxHeapMb } = checkCountOptions(parallel, threadOptions);
    return openEarlyPool(early, ({ name }) => startThread({ runDir, name, maxHeapMb }));
  },
  launch: (request) => supervise(supervisionOf(request), request.pool!.start),
};
