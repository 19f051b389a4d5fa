import { showProgress } from "../driver/progress/show-progress.ts";
import { changedCode } from "../run-folder/run/changed-code.ts";
import { isUnderWay } from "../run-folder/run/run-state.ts";
import { sleep } from "../runtime/sleep.ts";
import { type Command, exitCode } from "./command.ts";
import { describeRun } from "./describe-run.ts";
import { pollRun } from "./poll-run.ts";
import { runName } from "./run-name.ts";

const pollEveryMs = 500;
const jsonEveryMs = 1000;

export const status: Command = {
  name: "status",
  usage: "RUN [--watch] [--json]",
  summary: "Shows the state of the run in the folder RUN, from any host that can read the folder.",
  details: `Exit code ${exitCode.failed} if an error has ended the run (failed), ${exitCode.ok} in every other state.`,
  options: {
    watch: { type: "boolean", short: "w", help: "update until no process works on it any more" },
    json: { type: "boolean", help: "one JSON object (with --watch: one a line, every second)" },
  },
  examples: ["millrace status exp/prep", "millrace status exp/prep --json", "millrace status exp/prep --watch"],
  arguments: { min: 1, max: 1 },
  async run({ positionals: [runDir], has }) {
    const look = await pollRun(runDir!, { isReadOnly: true });
    let now = await look.now();
    if (has("watch")) {
      const display = has("json") ? undefined : showProgress(runDir!, runName(runDir!), { afterMs: 0, ...look });
      while (isUnderWay(now.state)) {
        if (has("json")) printJson(now);
        await sleep(has("json") ? jsonEveryMs : pollEveryMs);
        now = await look.now();
      }
      await display?.stop();
    }
    const codeChanged = await changedCode(runDir!);
    if (has("json")) printJson({ ...now, codeChanged });
    else process.stdout.write(describeRun(now) + describeCode(codeChanged));
    return now.state === "failed" ? exitCode.failed : exitCode.ok;
  },
};

/** One JSON object on a line of stdout. */
export function printJson(value: object): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Reports whether the code still equals the code that made the outputs. */
function describeCode(changed: readonly string[]): string {
  if (changed.length === 0) return "";
  return `  code     has changed since it made the outputs: ${changed.slice(0, 3).join(", ")}${changed.length > 3 ? ", …" : ""}\n`;
}
