// The program of a job. Its script passes the run folder and the name of the submission; the number of the task comes
// along where no scheduler gives one.
import { inspect } from "node:util";
import { attachedFlag } from "../launchers/batch/job-arguments.ts";
import { whenOutputRead } from "../launchers/take-output.ts";
import { isMillraceError } from "../shared/errors.ts";
import { flushOutput } from "../shared/flush-output.ts";
import { runJob } from "./run-job.ts";

const words = process.argv.slice(2);
const [runDir, name, task] = words as [string, string, string | undefined];
try {
  process.exitCode = await runJob({
    runDir,
    name,
    task: task === undefined ? undefined : Number(task),
    isAttached: words.includes(attachedFlag),
  });
} catch (error) {
  process.stderr.write(`millrace: ${isMillraceError(error) ? error.message : inspect(error)}\n`);
  process.exitCode = 1;
}
await whenOutputRead();
await flushOutput();
// The user's merge may have left something open that would keep the job alive, and its node with it.
process.exit();
