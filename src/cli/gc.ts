import { cleanUp } from "../driver/clean-up.ts";
import { removeFileInRun } from "../run-folder/files/run-files.ts";
import { runPaths } from "../run-folder/files/run-paths.ts";
import { defaultLeaseTtlMs } from "../run-folder/lease/lease.ts";
import { isAtWork } from "../run-folder/run/run-state.ts";
import { runStatus } from "../run-folder/run/run-status.ts";
import { namesIn } from "../run-folder/run/scan-shards.ts";
import { type Command, exitCode } from "./command.ts";

export const gc: Command = {
  name: "gc",
  usage: "RUN [--logs] [--history]",
  summary:
    "Removes what a run no longer needs: traces of dead workers and, when all shards are committed, old attempts.",
  details: "It never removes outputs, files of live workers, or checkpoints of shards that are not committed.",
  options: {
    logs: { type: "boolean", help: "also the logs, unless the run is running" },
    history: {
      type: "boolean",
      help: "also the history of ended attempts, unless the run is running",
    },
  },
  examples: ["millrace gc exp/prep", "millrace gc exp/prep --logs", "millrace gc exp/prep --history"],
  arguments: { min: 1, max: 1 },
  async run({ positionals: [runDir], has }) {
    const paths = runPaths(runDir!);
    const { shards, state, workers } = await runStatus(runDir!);
    const before = count();
    cleanUp(paths, { ttlMs: defaultLeaseTtlMs, keepAttempts: shards.committed < shards.total });
    const isBusy = isAtWork(state) || workers.length > 0;
    if (has("logs") && isBusy) process.stderr.write("millrace: the run is running: its logs are kept\n");
    if (has("history") && isBusy) process.stderr.write("millrace: the run is running: its history is kept\n");
    if (has("logs") && !isBusy)
      for (const name of namesIn(paths.logs)) removeFileInRun(paths.root, paths.log(name.replace(/\.log$/, "")));
    if (has("history") && !isBusy)
      for (const name of namesIn(paths.historyFolder))
        removeFileInRun(paths.root, paths.history(name.replace(/\.jsonl$/, "")));
    process.stderr.write(`millrace: removed ${before - count()} files and folders\n`);
    return exitCode.ok;

    function count(): number {
      return [paths.attempts, paths.leases, paths.workers, paths.logs, paths.historyFolder].reduce(
        (sum, dir) => sum + namesIn(dir).length,
        0,
      );
    }
  },
};
