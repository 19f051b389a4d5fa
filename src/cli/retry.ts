import type { ParallelInput } from "../config/parallel.ts";
import { readFailures } from "../driver/read-failures.ts";
import { MillraceError, messageOf } from "../errors/errors.ts";
import { runStatus } from "../run-folder/run/run-status.ts";
import { shellWord } from "../text/shell-word.ts";
import { rebuildRunner } from "../worker/join/rebuild-runner.ts";
import { isWanted } from "../worker/shard/retry-failed-shards.ts";
import { type Command, exitCode, refuseBoth, trustOf, trustOption } from "./command.ts";
import { enterRun } from "./enter-run.ts";
import { onlyJsonOnStdout } from "./only-json.ts";
import { printJson } from "./status.ts";

export const retry: Command = {
  name: "retry",
  usage: "RUN [--failed | --error REGEX] [--accept-change] [--trust] [--json]",
  summary: "Runs only the failed items of a run again, and inserts the results that succeed.",
  details: `Exit code ${exitCode.incomplete} if failed items are left, ${exitCode.usage} if no message matches: then nothing is run.`,
  options: {
    failed: { type: "boolean", help: "all failed items (the default)" },
    error: { type: "string", value: "REGEX", help: "only items whose error message matches" },
    "accept-change": { type: "boolean", help: "run although the code has changed since the other items were made" },
    trust: trustOption,
    json: { type: "boolean", help: "print as a JSON object how many items were tried and are left; no progress" },
  },
  examples: [
    "millrace retry exp/prep",
    'millrace retry exp/prep --error "time.*out"',
    "millrace retry exp/prep --failed --json",
  ],
  arguments: { min: 1, max: 1 },
  runsUserCode: true,
  async run(input) {
    refuseBoth(retry, input, "failed", "error");
    const error = pattern(input.text("error"));
    const [dir] = input.positionals as [string];
    const { runDir } = await enterRun(dir, trustOf(input));
    const failedBefore = (await runStatus(runDir)).items.failed;
    const tried = failedBefore === 0 ? 0 : requireAny(dir, runDir, error);
    const work = async () => {
      const runner = await rebuildRunner(runDir, ({ parallel }) => ({
        parallel: parallel as ParallelInput,
        acceptChange: input.has("accept-change"),
        ...(input.has("json") ? { progress: false } : {}),
      }));
      await runner.retryFailed({ error });
    };
    await (input.has("json") ? onlyJsonOnStdout(work) : work());
    const failedNow = (await runStatus(runDir)).items.failed;
    if (input.has("json")) printJson({ runDir, failedBefore, tried, failedNow });
    else process.stderr.write(`millrace: ${failedBefore} failed before, ${failedNow} now\n`);
    return failedNow === 0 ? exitCode.ok : exitCode.incomplete;
  },
};

/** The number of failed items that match. If items have failed but none matches, the expression is probably wrong. */
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
    hint: `The message of the first is ${JSON.stringify(other.split("\n", 1)[0])}; \`millrace failures ${shellWord(dir)}\` shows all.`,
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
