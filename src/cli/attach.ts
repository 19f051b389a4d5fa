import { showProgress } from "../drive/show-progress.ts";
import { sleep } from "../shared/sleep.ts";
import { openStatus } from "../store/run-status.ts";
import { type Command, exitCode } from "./command.ts";

const lookEveryMs = 500;

export const attach: Command = {
  name: "attach",
  usage: "RUN",
  summary: "Watches a run that others carry out until it is complete. Ctrl-C leaves it running.",
  details: `Exit code ${exitCode.ok} when the run is complete, ${exitCode.incomplete} when nobody works on it any more although items are left.`,
  options: {},
  examples: ["millrace attach exp/prep"],
  arguments: { least: 1, most: 1 },
  async run({ positionals: [runDir] }) {
    const reader = await openStatus(runDir!);
    let now = await reader.read();
    process.once("SIGINT", () => {
      process.stderr.write("\nmillrace: detached; the run goes on\n");
      process.exit(exitCode.interrupted);
    });
    const display = showProgress(runDir!, now.runDir, { afterMs: 0 });
    while (now.state === "running") {
      await sleep(lookEveryMs);
      now = await reader.read();
    }
    await display.stop();
    if (now.state === "complete") return exitCode.ok;
    process.stderr.write(`millrace: nobody works on ${now.runDir}; start it again to go on\n`);
    return exitCode.incomplete;
  },
};
