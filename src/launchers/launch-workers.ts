import { runPaths } from "../run-folder/files/run-paths.ts";
import type { Committed, Launcher, LaunchRequest, WorkerPool } from "./launcher.ts";
import { supervise } from "./local/supervise.ts";

/** Runs workers until all have ended. `pool`: the pool that the launcher has opened for this run before. */
export async function launchWorkers(
  launcher: Launcher,
  request: LaunchRequest,
  pool: WorkerPool | undefined = undefined,
): Promise<Committed> {
  const { runDir, parallel, pending, stop, worker } = request;
  switch (launcher.kind) {
    case "inline":
      return launcher.run(worker, stop);
    case "queued":
      return launcher.drive(request);
    case "pooled": {
      const workers = pool ?? launcher.openPool({ runDir, parallel, early: 0 });
      try {
        const slots = Math.min(parallel.nWorkers, pending);
        return await supervise({ paths: runPaths(runDir), stop, slots }, workers.start);
      } finally {
        if (pool === undefined) workers.close();
      }
    }
  }
}
