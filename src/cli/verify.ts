import { formatCount } from "../drive/progress-line.ts";
import { runPaths } from "../store/run-paths.ts";
import { runStatus } from "../store/run-status.ts";
import { verifyRun } from "../store/verify-run.ts";
import { type Command, exitCode } from "./command.ts";
import { printJson } from "./status.ts";

export const verify: Command = {
  name: "verify",
  usage: "RUN [--json]",
  summary: "Reads every committed file of a run and compares it with its digest.",
  details: `Exit code ${exitCode.failed} where one differs. Delete that shard's \`done\` and start the run again: it alone is computed anew.`,
  options: { json: { type: "boolean", help: "the result as a JSON object" } },
  examples: ["millrace verify exp/prep", "millrace verify exp/prep --json"],
  arguments: { least: 1, most: 1 },
  async run({ positionals: [runDir], has }) {
    const total = (await runStatus(runDir!)).shards.total;
    const result = verifyRun(runDir!);
    const { shards, files, bytes, damaged } = result;
    if (has("json")) printJson({ ...result, total });
    else {
      const paths = runPaths(runDir!);
      for (const { shard, reason } of damaged)
        process.stdout.write(
          `split.${shard}: ${reason}\n  -> Delete ${paths.done(shard)} and start the run again: this shard is computed anew.\n`,
        );
      const verdict = damaged.length === 0 ? "all as committed" : `${formatCount(damaged.length)} damaged`;
      process.stdout.write(
        `${formatCount(files)} files of ${formatCount(shards)} of ${formatCount(total)} shards, ${formatCount(bytes)} bytes: ${verdict}\n`,
      );
    }
    return damaged.length === 0 ? exitCode.ok : exitCode.failed;
  },
};
