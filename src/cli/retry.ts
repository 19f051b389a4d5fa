import { rebuildRunner } from "../join/rebuild-runner.ts";
import { MillraceError, messageOf } from "../shared/errors.ts";
import { openStatus } from "../store/run-status.ts";
import { type Command, exitCode } from "./command.ts";
import { parallelOf } from "./parallel-of.ts";

export const retry: Command = {
  name: "retry",
  usage: "RUN [--failed | --error REGEX]",
  summary: "Runs the failed items of a run once more, alone, and puts what succeeds into its place.",
  details: `Exit code ${exitCode.incomplete} where items failed again.`,
  options: {
    failed: { type: "boolean", help: "all failed items (the default)" },
    error: { type: "string", value: "REGEX", help: "only those whose error message matches" },
  },
  examples: ["millrace retry exp/prep", 'millrace retry exp/prep --error "time.*out"'],
  arguments: { least: 1, most: 1 },
  async run({ positionals: [runDir], text }) {
    const reader = await openStatus(runDir!);
    const before = (await reader.read()).items.failed;
    const runner = await rebuildRunner(runDir!, { parallel: parallelOf(runDir!) });
    await runner.retryFailed({ error: pattern(text("error")) });
    const left = (await (await openStatus(runDir!)).read()).items.failed;
    process.stderr.write(`millrace: ${before} failed before, ${left} now\n`);
    return left === 0 ? exitCode.ok : exitCode.incomplete;
  },
};

function pattern(source: string | undefined): RegExp | undefined {
  if (source === undefined) return undefined;
  try {
    return new RegExp(source);
  } catch (error) {
    throw new MillraceError("BAD_USAGE", `--error: ${messageOf(error)}.`, {
      hint: "Write a JavaScript regular expression, such as 'time.*out'.",
    });
  }
}
