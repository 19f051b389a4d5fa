// The program of a job. Its arguments are the run folder, the name of the submission and, if no scheduler sets it, the
// number of the task.
import { inspect } from "node:util";
import { isMillraceError } from "../errors/errors.ts";
import { attachedFlag } from "../launchers/jobs/job-arguments.ts";
import { whenOutputRead } from "../launchers/local/take-output.ts";
import { flushOutput } from "../runtime/flush-output.ts";
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
// The user's merge may have left something open that would keep the job running.
process.exit();
