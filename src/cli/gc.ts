import { rmSync } from "node:fs";
import { cleanUp } from "../drive/clean-up.ts";
import { defaultLeaseTtlMs } from "../store/lease.ts";
import { runPaths } from "../store/run-paths.ts";
import { runStatus } from "../store/run-status.ts";
import { namesIn } from "../store/scan-shards.ts";
import { type Command, exitCode } from "./command.ts";

export const gc: Command = {
  name: "gc",
  usage: "RUN [--logs] [--history]",
  summary:
    "Removes what a run no longer needs: traces of dead workers and, when all shards are committed, old attempts.",
  details: "Outputs are never touched, nor what a living worker holds, nor checkpoints of shards that are still to do.",
  options: {
    logs: { type: "boolean", help: "also the logs, unless someone is at work on the run" },
    history: { type: "boolean", help: "also what is known of attempts that have ended, unless someone is at work" },
  },
  examples: ["millrace gc exp/prep", "millrace gc exp/prep --logs", "millrace gc exp/prep --history"],
  arguments: { least: 1, most: 1 },
  async run({ positionals: [runDir], has }) {
    const paths = runPaths(runDir!);
    const { shards, state, workers } = await runStatus(runDir!);
    const before = count();
    cleanUp(paths, { ttlMs: defaultLeaseTtlMs, keepAttempts: shards.committed < shards.total });
    const isBusy = state === "running" || workers.length > 0;
    if (has("logs") && isBusy) process.stderr.write("millrace: someone is at work on the run: its logs stay\n");
    if (has("history") && isBusy) process.stderr.write("millrace: someone is at work on the run: its history stays\n");
    if (has("logs") && !isBusy)
      for (const name of namesIn(paths.logs)) rmSync(paths.log(name.replace(/\.log$/, "")), { force: true });
    if (has("history") && !isBusy)
      for (const name of namesIn(paths.historyFolder))
        rmSync(paths.history(name.replace(/\.jsonl$/, "")), { force: true });
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
