import { MillraceError } from "../errors/errors.ts";
import { runPaths } from "../run-folder/files/run-paths.ts";
import { writeSpec } from "../run-folder/run/run-spec.ts";
import { runStatus } from "../run-folder/run/run-status.ts";
import { rebuildRunner } from "../worker/join/rebuild-runner.ts";
import { type Command, exitCode, trustOf, trustOption } from "./command.ts";
import { enterRun } from "./enter-run.ts";

export const merge: Command = {
  name: "merge",
  usage: "RUN [--files] [--accept-change] [--trust]",
  summary: "Merges a run whose shards are all committed: if its driver is gone, or to merge again.",
  details: `Exit code ${exitCode.incomplete} if shards are not committed.`,
  options: {
    files: { type: "boolean", help: "also merge the line files of all shards into one file" },
    "accept-change": { type: "boolean", help: "merge although the code has changed since the shards were made" },
    trust: trustOption,
  },
  examples: ["millrace merge exp/prep", "millrace merge exp/prep --files"],
  arguments: { min: 1, max: 1 },
  runsUserCode: true,
  async run(input) {
    const { positionals, has } = input;
    const { runDir, spec } = await enterRun(positionals[0]!, trustOf(input));
    const { shards } = await runStatus(runDir);
    const open = shards.total - shards.committed;
    if (open > 0) {
      throw new MillraceError("RUN_STOPPED", `${open} of ${shards.total} shards of ${runDir} are not committed.`, {
        hint: "Start the run again first, or join it with `millrace worker`.",
      });
    }
    const changed = { acceptChange: has("accept-change"), ...(has("files") ? { mergeFiles: true } : {}) };
    const runner = await rebuildRunner(runDir, { ...changed, parallel: { env: "local" } });
    try {
      await runner.resume();
    } finally {
      // A merge must not change the options of the run.
      writeSpec(runPaths(runDir), spec);
    }
    process.stderr.write(`millrace: merged ${shards.total} shards of ${runDir}\n`);
    return exitCode.ok;
  },
};
