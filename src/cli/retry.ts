import type { ParallelInput } from "../config/parallel.ts";
import { rebuildRunner } from "../join/rebuild-runner.ts";
import { MillraceError, messageOf } from "../shared/errors.ts";
import { runStatus } from "../store/run-status.ts";
import { type Command, exitCode, refuseBoth } from "./command.ts";
import { enterRun } from "./enter-run.ts";

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
  runsUserCode: true,
  async run(input) {
    refuseBoth(retry, input, "failed", "error");
    const error = pattern(input.text("error"));
    const { runDir, spec } = await enterRun(input.positionals[0]!);
    const before = (await runStatus(runDir)).items.failed;
    const runner = await rebuildRunner(runDir, { parallel: spec.parallel as ParallelInput });
    await runner.retryFailed({ error });
    const left = (await runStatus(runDir)).items.failed;
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
