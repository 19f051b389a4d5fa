import { rebuildRunner } from "../join/rebuild-runner.ts";
import { MillraceError } from "../shared/errors.ts";
import { openStatus } from "../store/run-status.ts";
import { type Command, exitCode } from "./command.ts";

export const merge: Command = {
  name: "merge",
  usage: "RUN [--files]",
  summary: "Merges a run whose shards are all committed: for one whose driver is gone, or to merge once more.",
  options: { files: { type: "boolean", help: "also make one file of the line files of all shards" } },
  examples: ["millrace merge exp/prep", "millrace merge exp/prep --files"],
  arguments: { least: 1, most: 1 },
  async run({ positionals: [runDir], has }) {
    const { shards } = await (await openStatus(runDir!)).read();
    const open = shards.total - shards.committed;
    if (open > 0) {
      throw new MillraceError("RUN_STOPPED", `${open} of ${shards.total} shards of ${runDir} are still to do.`, {
        hint: "Start the run again first, or join it with `millrace worker`.",
      });
    }
    const changed = has("files") ? { mergeFiles: true } : {};
    await (await rebuildRunner(runDir!, { ...changed, parallel: { env: "local" } })).resume();
    process.stderr.write(`millrace: merged ${shards.total} shards of ${runDir}\n`);
    return exitCode.ok;
  },
};
