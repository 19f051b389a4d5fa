import { rmSync } from "node:fs";
import { join } from "node:path";
import { cleanUp } from "../drive/clean-up.ts";
import { defaultLeaseTtlMs } from "../store/lease.ts";
import { runPaths } from "../store/run-paths.ts";
import { openStatus } from "../store/run-status.ts";
import { namesIn } from "../store/scan-shards.ts";
import { type Command, exitCode } from "./command.ts";

export const gc: Command = {
  name: "gc",
  usage: "RUN [--logs]",
  summary:
    "Removes what a run no longer needs: traces of dead workers and, when all shards are committed, old attempts.",
  details: "Outputs are never touched, nor what a living worker holds, nor checkpoints of shards that are still to do.",
  options: { logs: { type: "boolean", help: "also the logs of the workers" } },
  examples: ["millrace gc exp/prep", "millrace gc exp/prep --logs"],
  arguments: { least: 1, most: 1 },
  async run({ positionals: [runDir], has }) {
    const paths = runPaths(runDir!);
    const { shards } = await (await openStatus(runDir!)).read();
    const before = count();
    cleanUp(paths, { ttlMs: defaultLeaseTtlMs, keepAttempts: shards.committed < shards.total });
    if (has("logs")) for (const name of namesIn(paths.logs)) rmSync(join(paths.logs, name), { force: true });
    process.stderr.write(`millrace: removed ${before - count()} files and folders\n`);
    return exitCode.ok;

    function count(): number {
      return [paths.attempts, paths.leases, paths.workers, paths.logs].reduce(
        (sum, dir) => sum + namesIn(dir).length,
        0,
      );
    }
  },
};
