import { formatCount } from "../driver/progress/progress-line.ts";
import { runPaths } from "../run-folder/files/run-paths.ts";
import { runStatus } from "../run-folder/run/run-status.ts";
import { type Verification, verifyRun } from "../run-folder/run/verify-run.ts";
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
    const { damaged } = result;
    if (has("json")) printJson({ ...result, total });
    else {
      const paths = runPaths(runDir!);
      for (const file of damaged)
        process.stdout.write(
          "shard" in file
            ? `split.${file.shard}: ${file.reason}\n  -> Delete ${paths.done(file.shard)} and start the run again: this shard is computed again.\n`
            : `${file.merged}: ${file.reason}\n  -> Delete ${paths.output(file.merged)} and call \`millrace merge ${shellWord(runDir!)} --files\`: it is made again from the shards.\n`,
        );
      process.stdout.write(`${describeResult(result, total)}\n`);
    }
    return damaged.length === 0 ? exitCode.ok : exitCode.failed;
  },
};

function describeResult({ shards, merged, bytes, damaged }: Verification, total: number): string {
  const many = (count: number, what: string) => `${formatCount(count)} ${what}${count === 1 ? "" : "s"}`;
  const checked = `${many(shards, "shard")}${merged === 0 ? "" : ` and ${many(merged, "merged file")}`}`;
  const left = total - shards - new Set(damaged.flatMap((file) => ("shard" in file ? [file.shard] : []))).size;
  const open =
    left <= 0 ? "" : ` ${many(left, "shard")} of ${formatCount(total)} ${left === 1 ? "is" : "are"} not done yet.`;
  if (damaged.length > 0)
    return `${many(damaged.length, "file")} ${damaged.length === 1 ? "is" : "are"} damaged; the others of ${checked} are intact.${open}`;
  if (shards + merged === 0) return `Nothing was checked: no shard is done yet.`;
  return `All files of ${checked} are intact (${formatCount(bytes)} bytes).${open}`;
}
