import type { ParallelInput } from "../config/parallel.ts";
import { type FailureGroup, groupFailures } from "../driver/group-failures.ts";
import { formatCount } from "../driver/progress/progress-line.ts";
import { readFailures } from "../driver/read-failures.ts";
import { MillraceError, messageOf } from "../errors/errors.ts";
import { runStatus } from "../run-folder/run/run-status.ts";
import { readable } from "../text/readable.ts";
import { shellWord } from "../text/shell-word.ts";
import { rebuildRunner } from "../worker/join/rebuild-runner.ts";
import type { FailureRecord } from "../worker/shard/failure-log.ts";
import { isWanted } from "../worker/shard/retry-failed-shards.ts";
import { type Command, exitCode, refuseBoth, trustOf, trustOption } from "./command.ts";
import { describeGroup } from "./describe-group.ts";
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
    const tried = failedBefore === 0 ? new Set<number>() : requireAny(dir, runDir, error);
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
    const again = groupFailures(onlyOf(runDir, tried));
    if (input.has("json")) printJson({ runDir, failedBefore, tried: tried.size, failedNow, again });
    else process.stdout.write(describeRetry(dir, { failedBefore, tried: tried.size, failedNow, again }));
    return failedNow === 0 ? exitCode.ok : exitCode.incomplete;
  },
};

/** The failed items that match. If items have failed but none matches, the expression is probably wrong. */
function requireAny(dir: string, runDir: string, error: RegExp | undefined): Set<number> {
  const wanted = isWanted({ error });
  const found = new Set<number>();
  let other: string | undefined;
  for (const failure of readFailures(runDir)) {
    if (wanted(failure)) found.add(failure.item);
    else other ??= failure.error.message;
  }
  if (found.size > 0 || other === undefined) return found;
  throw new MillraceError("BAD_USAGE", `No failed item of ${dir} has a message that matches ${error}.`, {
    hint: `The message of the first is ${JSON.stringify(other.split("\n", 1)[0])}; \`millrace failures ${shellWord(dir)}\` shows all.`,
  });
}

/** The failures that some of these items have now. */
function* onlyOf(runDir: string, items: ReadonlySet<number>): Generator<FailureRecord> {
  for (const failure of readFailures(runDir)) if (items.has(failure.item)) yield failure;
}

interface RetryResult {
  readonly failedBefore: number;
  readonly tried: number;
  readonly failedNow: number;
  /** Why items failed again. */
  readonly again: readonly FailureGroup[];
}

const maxReasons = 5;

function describeRetry(dir: string, { failedBefore, tried, failedNow, again }: RetryResult): string {
  if (failedBefore === 0) return `${readable(dir)}: no item has failed: nothing was left to do\n`;
  const failedAgain = again.reduce((sum, { count }) => sum + count, 0);
  const others = failedNow - failedAgain;
  const head = [
    `${formatCount(tried)} ${tried === 1 ? "item was" : "items were"} run again`,
    `${formatCount(tried - failedAgain)} succeeded`,
    `${formatCount(failedAgain)} failed again`,
    ...(others > 0 ? [`${formatCount(others)} ${others === 1 ? "other still fails" : "others still fail"}`] : []),
  ].join(", ");
  const more = again.length > maxReasons ? `\nand ${formatCount(again.length - maxReasons)} more reasons\n` : "";
  const hint =
    failedNow === 0 ? "" : `\n-> millrace failures ${shellWord(dir)} shows all, --item ITEM one with its stack\n`;
  return `${readable(dir)}: ${head}\n${again.slice(0, maxReasons).map(describeGroup).join("")}${more}${hint}`;
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
