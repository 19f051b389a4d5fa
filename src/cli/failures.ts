import { type FailureGroup, groupFailures, itemName } from "../driver/group-failures.ts";
import { readFailures } from "../driver/read-failures.ts";
import { MillraceError } from "../errors/errors.ts";
import { readable } from "../text/readable.ts";
import { shellWord } from "../text/shell-word.ts";
import type { FailureRecord } from "../worker/shard/failure-log.ts";
import { type Command, exitCode } from "./command.ts";
import { describeGroup } from "./describe-group.ts";
import { pollRun } from "./poll-run.ts";
import { printJson } from "./status.ts";

export const failures: Command = {
  name: "failures",
  usage: "RUN [--item ITEM] [--json]",
  summary: "Shows which items of a run failed and why, the most frequent reason first.",
  details: "Messages that differ only in numbers, ids and paths are one reason.",
  options: {
    item: {
      type: "string",
      value: "ITEM",
      help: "one failed item, by its id or number: its complete message and stack",
    },
    json: { type: "boolean", help: "a JSON object on a line for each reason; with --item the failure itself" },
  },
  examples: ["millrace failures exp/prep", "millrace failures exp/prep --json"],
  arguments: { min: 1, max: 1 },
  async run({ positionals: [runDir], text, has }) {
    const look = await pollRun(runDir!, { isReadOnly: true });
    const { items } = await look.now();
    const item = text("item");
    if (item !== undefined) {
      const found = findFailure(runDir!, item);
      if (has("json")) printJson(found);
      else process.stdout.write(describeFailure(found));
      return exitCode.ok;
    }
    const groups = groupFailures(readFailures(runDir!));
    if (has("json")) groups.forEach(printJson);
    else process.stdout.write(describeGroups(runDir!, items.total, groups));
    return exitCode.ok;
  },
};

function findFailure(runDir: string, item: string): FailureRecord {
  let byNumber: FailureRecord | undefined;
  for (const failure of readFailures(runDir)) {
    if (failure.id === item) return failure;
    if (String(failure.item) === item) byNumber ??= failure;
  }
  if (byNumber !== undefined) return byNumber;
  throw new MillraceError("BAD_USAGE", `Item ${JSON.stringify(item)} of ${runDir} has not failed.`, {
    hint: `\`millrace failures ${shellWord(runDir)}\` shows those that have.`,
  });
}

function describeGroups(runDir: string, total: number, groups: readonly FailureGroup[]): string {
  const failed = groups.reduce((sum, { count }) => sum + count, 0);
  if (failed === 0) return `${readable(runDir)}: no item has failed\n`;
  const head = `${readable(runDir)}: ${failed} of ${total} items failed, for ${groups.length} reason${groups.length === 1 ? "" : "s"}\n`;
  const dir = shellWord(runDir);
  const hint = `\n-> millrace failures ${dir} --item ITEM shows one; millrace retry ${dir} runs them again\n`;
  return head + groups.map(describeGroup).join("") + hint;
}

function describeFailure(failure: FailureRecord): string {
  const { item, error, stack, tries, attempt } = failure;
  const called = itemName(failure) === String(item) ? `item ${item}` : `${itemName(failure)} (item ${item})`;
  const text = stack?.includes(error.message) === true ? stack : `${error.name}: ${error.message}\n${stack ?? ""}`;
  return readable(
    `${called} failed after ${tries} ${tries === 1 ? "try" : "tries"}, in attempt ${attempt} at its shard\n${text.trimEnd()}\n`,
  );
}
