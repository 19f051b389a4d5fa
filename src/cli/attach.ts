import { showProgress } from "../drive/show-progress.ts";
import { shellWord } from "../shared/shell-word.ts";
import { sleep } from "../shared/sleep.ts";
import { readFailure } from "../store/last-failure.ts";
import { isFromBackground } from "../store/log-names.ts";
import { runPaths } from "../store/run-paths.ts";
import { isComplete, isUnderWay } from "../store/run-status.ts";
import { type Command, exitCode } from "./command.ts";
import { logFiles } from "./log-files.ts";
import { openLook } from "./open-look.ts";
import { runName } from "./run-name.ts";
import { describeRun, printJson } from "./status.ts";
import { tellError } from "./tell-error.ts";

const lookEveryMs = 500;

export const attach: Command = {
  name: "attach",
  usage: "RUN [--json]",
  summary: "Watches a run that others carry out until it is complete. Ctrl-C leaves it running.",
  details:
    `Exit code ${exitCode.ok} when the run is complete, ${exitCode.incomplete} where items failed, or when nobody works on it any more although items are left.\n` +
    `Where an error ended it, that is told, and the exit code is that of the run: ${exitCode.failed}.`,
  options: { json: { type: "boolean", help: "print the status at the end as a JSON object; no progress" } },
  examples: ["millrace attach exp/prep"],
  arguments: { least: 1, most: 1 },
  async run({ positionals: [runDir], has }) {
    const look = await openLook(runDir!);
    let now = await look();
    process.once("SIGINT", () => {
      process.stderr.write("\nmillrace: detached; the run goes on\n");
      process.exit(exitCode.interrupted);
    });
    const display = has("json") ? undefined : showProgress(runDir!, runName(runDir!), { afterMs: 0 });
    while (isUnderWay(now.state)) {
      await sleep(lookEveryMs);
      now = await look();
    }
    await display?.stop();
    if (has("json")) printJson(now);
    else process.stdout.write(describeRun(now));
    if (isComplete(now.state)) return now.items.failed > 0 ? exitCode.incomplete : exitCode.ok;
    const paths = runPaths(runDir!);
    const failure = readFailure(paths);
    const code = failure === undefined ? exitCode.incomplete : tellError(failure.error);
    const isInBackground = logFiles(paths).some(({ name }) => isFromBackground(name));
    const why = isInBackground ? `\n  -> millrace logs ${shellWord(runDir!)} --driver shows how it ended.` : "";
    process.stderr.write(`millrace: nobody works on ${now.runDir} any more; start it again to go on.${why}\n`);
    return code;
  },
};
