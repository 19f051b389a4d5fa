import { formatCount } from "../driver/progress/progress-line.ts";
import { messageOf } from "../errors/errors.ts";
import { findRuns } from "../run-folder/run/find-runs.ts";
import type { RunState } from "../run-folder/run/run-state.ts";
import { type RunStatus, runStatus } from "../run-folder/run/run-status.ts";
import { readable } from "../text/readable.ts";
import { type Command, exitCode } from "./command.ts";
import { stateWord } from "./state-word.ts";
import { printJson } from "./status.ts";

export const list: Command = {
  name: "list",
  usage: "[DIR] [--json]",
  summary: "Lists the runs below a folder (default: this one) and their states.",
  options: { json: { type: "boolean", help: "one JSON object a line" } },
  examples: ["millrace list exp", "millrace list exp --json"],
  arguments: { min: 0, max: 1 },
  async run({ positionals: [dir = "."], has }) {
    let isAny = false;
    // A folder that cannot be read is skipped with a message.
    const onSkipped = (folder: string, why: string) =>
      void process.stderr.write(`millrace: ${folder} is skipped: ${why}\n`);
    for (const runDir of findRuns(dir, { onSkipped })) {
      isAny = true;
      const row = await describe(runDir);
      if (has("json")) printJson(row);
      else process.stdout.write(rowText(row));
    }
    if (!isAny) process.stderr.write(`millrace: there are no runs below ${dir}\n`);
    return exitCode.ok;
  },
};

const stateWidth = ("complete with failures" satisfies RunState).length;

type Row = { readonly runDir: string; readonly error?: string; readonly state: RunState | "unreadable" } & Partial<
  Omit<RunStatus, "state">
>;

async function describe(runDir: string): Promise<Row> {
  try {
    return { ...(await runStatus(runDir)), runDir };
  } catch (error) {
    return { runDir, state: "unreadable", error: messageOf(error).split("\n", 1)[0]! };
  }
}

function rowText({ runDir, error, state, items, failure, stalled }: Row): string {
  const word = stateWord(state, stateWidth);
  if (items === undefined) return `${word}  ${readable(`${runDir}: ${error}`)}\n`;
  const failed = items.failed > 0 ? `, ${formatCount(items.failed)} failed` : "";
  const reason = failure === undefined ? stalled : `${failure.code}: ${failure.message}`.split("\n", 1)[0];
  const why = reason === undefined ? "" : `; ${reason}`;
  const counts = `${formatCount(items.done)} of ${formatCount(items.total)} items${failed}`;
  return `${word}  ${readable(`${runDir}  ${counts}${why}`)}\n`;
}
