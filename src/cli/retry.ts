import type { ParallelInput } from "../config/parallel.ts";
import { readFailures } from "../drive/read-failures.ts";
import { rebuildRunner } from "../join/rebuild-runner.ts";
import { MillraceError, messageOf } from "../shared/errors.ts";
import { shellWord } from "../shared/shell-word.ts";
import { runStatus } from "../store/run-status.ts";
import { isWanted } from "../worker/retry-failed-shards.ts";
import { type Command, exitCode, refuseBoth } from "./command.ts";
import { enterRun } from "./enter-run.ts";
import { onlyJsonOnStdout } from "./only-json.ts";
import { printJson } from "./status.ts";

export const retry: Command = {
  name: "retry",
  usage: "RUN [--failed | --error REGEX] [--accept-change] [--json]",
  summary: "Runs the failed items of a run once more, alone, and puts what succeeds into its place.",
  details: `Exit code ${exitCode.incomplete} where failed items are left, ${exitCode.usage} where none has such a message: then nothing is run.`,
  options: {
    failed: { type: "boolean", help: "all failed items (the default)" },
    error: { type: "string", value: "REGEX", help: "only those whose error message matches" },
    "accept-change": { type: "boolean", help: "also with code that has changed since the other items were made" },
    json: { type: "boolean", help: "print what was tried and what is left as a JSON object; no progress" },
  },
  examples: [
    "millrace retry exp/prep",
    'millrace retry exp/prep --error "time.*out"',
    "millrace retry exp/prep --failed --json",
  ],
  arguments: { least: 1, most: 1 },
  runsUserCode: true,
  async run(input) {
    refuseBoth(retry, input, "failed", "error");
    const error = pattern(input.text("error"));
    const [dir] = input.positionals as [string];
    const { runDir, spec } = await enterRun(dir);
    const failedBefore = (await runStatus(runDir)).items.failed;
    const tried = failedBefore === 0 ? 0 : requireAny(dir, runDir, error);
    const parallel = spec.parallel as ParallelInput;
    const work = async () => {
      const runner = await rebuildRunner(runDir, {
        parallel,
        acceptChange: input.has("accept-change"),
        ...(input.has("json") ? { progress: false } : {}),
      });
      await runner.retryFailed({ error });
    };
    await (input.has("json") ? onlyJsonOnStdout(work) : work());
    const failedNow = (await runStatus(runDir)).items.failed;
    if (input.has("json")) printJson({ runDir, failedBefore, tried, failedNow });
    else process.stderr.write(`millrace: ${failedBefore} failed before, ${failedNow} now\n`);
    return failedNow === 0 ? exitCode.ok : exitCode.incomplete;
  },
};

/** How many failed items are wanted. None, although some have failed: the expression is not the one that was meant. */
function requireAny(dir: string, runDir: string, error: RegExp | undefined): number {
  const wanted = isWanted({ error });
  let count = 0;
  let other: string | undefined;
  for (const failure of readFailures(runDir)) {
    if (wanted(failure)) count++;
    else other ??= failure.error.message;
  }
  if (count > 0 || other === undefined) return count;
  throw new MillraceError("BAD_USAGE", `No failed item of ${dir} has a message that matches ${error}.`, {
    hint: `The first one says ${JSON.stringify(other.split("\n", 1)[0])}; \`millrace report ${shellWord(dir)}\` shows all.`,
  });
}

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
