// The program of a job that a scheduler runs. Its script passes the run folder and the name of the submission.
import { inspect } from "node:util";
import { isMillraceError } from "../shared/errors.ts";
import { runJob } from "./run-job.ts";

const [runDir, name] = process.argv.slice(2) as [string, string];
try {
  process.exitCode = await runJob(runDir, name);
} catch (error) {
  process.stderr.write(`millrace: ${isMillraceError(error) ? error.message : inspect(error)}\n`);
  process.exitCode = 1;
}
// The user's merge may have left something open that would keep the job alive, and its node with it.
process.exit();
