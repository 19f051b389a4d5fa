import { showProgress } from "../driver/progress/show-progress.ts";
import { isFromBackground } from "../run-folder/files/log-names.ts";
import { runPaths } from "../run-folder/files/run-paths.ts";
import { readFailure } from "../run-folder/run/last-failure.ts";
import { isComplete, isUnderWay } from "../run-folder/run/run-state.ts";
import { sleep } from "../runtime/sleep.ts";
import { shellWord } from "../text/shell-word.ts";
import { type Command, exitCode } from "./command.ts";
import { describeRun } from "./describe-run.ts";
import { logFiles } from "./log-files.ts";
import { pollRun } from "./poll-run.ts";
import { printError } from "./print-error.ts";
import { runName } from "./run-name.ts";
import { printJson } from "./status.ts";

const pollEveryMs = 500;

export const attach: Command = {
  name: "attach",
  usage: "RUN [--json]",
  summary: "Watches a run in other processes until it is complete. Ctrl-C leaves it running.",
  details:
    `Exit code ${exitCode.ok} when the run is complete, ${exitCode.incomplete} if items failed, or if items are left and no process works on it\n` +
    "any more.\n" +
    `If an error ended it, the error is printed, and the exit code is that of the run: ${exitCode.failed}.`,
  options: { json: { type: "boolean", help: "print the status at the end as a JSON object; no progress" } },
  examples: ["millrace attach exp/prep"],
  arguments: { min: 1, max: 1 },
  async run({ positionals: [runDir], has }) {
    // Not read-only: like a driver, this command saves what the scheduler reports.
    const look = await pollRun(runDir!, { isReadOnly: false });
    let now = await look.now();
    process.once("SIGINT", () => {
      process.stderr.write("\nmillrace: detached; the run continues\n");
      process.exit(exitCode.interrupted);
    });
    const display = has("json") ? undefined : showProgress(runDir!, runName(runDir!), { afterMs: 0, ...look });
    while (isUnderWay(now.state)) {
      await sleep(pollEveryMs);
      now = await look.now();
    }
    await display?.stop();
    if (has("json")) printJson(now);
    else process.stdout.write(describeRun(now));
    if (isComplete(now.state)) return now.items.failed > 0 ? exitCode.incomplete : exitCode.ok;
    const paths = runPaths(runDir!);
    const failure = readFailure(paths);
    const code = failure === undefined ? exitCode.incomplete : printError(failure.error);
    const isInBackground = logFiles(paths).some(({ name }) => isFromBackground(name));
    const why = isInBackground ? `\n  -> millrace logs ${shellWord(runDir!)} --driver shows how it ended.` : "";
    process.stderr.write(`millrace: no process works on ${now.runDir} any more; start it again to continue.${why}\n`);
    return code;
  },
};
