import { formatCount } from "../driver/progress/progress-line.ts";
import { runPaths } from "../run-folder/files/run-paths.ts";
import { runStatus } from "../run-folder/run/run-status.ts";
import { verifyRun } from "../run-folder/run/verify-run.ts";
import { shellWord } from "../text/shell-word.ts";
import { type Command, exitCode } from "./command.ts";
import { printJson } from "./status.ts";

export const verify: Command = {
  name: "verify",
  usage: "RUN [--json]",
  summary: "Reads every committed and merged file of a run, and compares it with its digest.",
  details:
    `Exit code ${exitCode.failed} if one differs. Delete the \`done\` of that shard and start the run again: only that shard is computed\n` +
    "again. Delete a damaged merged file and make it again with `millrace merge RUN --files`. Files of a custom `merge` are\n" +
    "not checked.",
  options: { json: { type: "boolean", help: "the result as a JSON object" } },
  examples: ["millrace verify exp/prep", "millrace verify exp/prep --json"],
  arguments: { min: 1, max: 1 },
  async run({ positionals: [runDir], has }) {
    const total = (await runStatus(runDir!)).shards.total;
    const result = verifyRun(runDir!);
    const { shards, merged, bytes, damaged } = result;
    if (has("json")) printJson({ ...result, total });
    else {
      const paths = runPaths(runDir!);
      for (const file of damaged)
        process.stdout.write(
          "shard" in file
            ? `split.${file.shard}: ${file.reason}\n  -> Delete ${paths.done(file.shard)} and start the run again: this shard is computed again.\n`
            : `${file.merged}: ${file.reason}\n  -> Delete ${paths.output(file.merged)} and call \`millrace merge ${shellWord(runDir!)} --files\`: it is made again from the shards.\n`,
        );
      const inShards =
        shards === total ? `${formatCount(total)} shards` : `${formatCount(shards)} of ${formatCount(total)} shards`;
      const inMerged = merged === 0 ? "" : ` and ${formatCount(merged)} merged ${merged === 1 ? "file" : "files"}`;
      process.stdout.write(
        damaged.length === 0
          ? `All files of ${inShards}${inMerged} are intact (${formatCount(bytes)} bytes).\n`
          : `${formatCount(damaged.length)} damaged: checked ${inShards}${inMerged}, ${formatCount(bytes)} bytes.\n`,
      );
    }
    return damaged.length === 0 ? exitCode.ok : exitCode.failed;
  },
};
