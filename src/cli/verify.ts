import { openStatus } from "../store/run-status.ts";
import { verifyRun } from "../store/verify-run.ts";
import { type Command, exitCode } from "./command.ts";

export const verify: Command = {
  name: "verify",
  usage: "RUN [--json]",
  summary: "Reads every committed file of a run and compares it with its digest.",
  details: `Exit code ${exitCode.failed} where one differs. Delete that shard's \`done\` and start the run again: it alone is computed anew.`,
  options: { json: { type: "boolean", help: "the result as a JSON object" } },
  examples: ["millrace verify exp/prep", "millrace verify exp/prep --json"],
  arguments: { least: 1, most: 1 },
  async run({ positionals: [runDir], has }) {
    await openStatus(runDir!);
    const result = verifyRun(runDir!);
    if (has("json")) process.stdout.write(`${JSON.stringify(result)}\n`);
    else {
      for (const { shard, reason } of result.damaged) process.stdout.write(`split.${shard}: ${reason}\n`);
      const { shards, files, bytes, damaged } = result;
      const verdict = damaged.length === 0 ? "all as committed" : `${damaged.length} damaged`;
      process.stdout.write(`${files} files of ${shards} shards, ${bytes} bytes: ${verdict}\n`);
    }
    return result.damaged.length === 0 ? exitCode.ok : exitCode.failed;
  },
};
