import { mkdirSync } from "node:fs";
import { MillraceError } from "../../shared/errors.ts";
import { writeSubmission } from "../../store/job-records.ts";
import { jobLogName } from "../../store/log-names.ts";
import { runPaths } from "../../store/run-paths.ts";
import { callProgram } from "../batch/call-program.ts";
import { driveJobs } from "../batch/drive-jobs.ts";
import { jobsFor } from "../batch/job-options.ts";
import type { DetachedJob, Launcher, SubmitRequest } from "../launcher.ts";
import { sshCall } from "./ssh-call.ts";
import { checkSshOptions } from "./ssh-options.ts";
import { openSshQueue } from "./ssh-queue.ts";
import { newSshSubmission } from "./ssh-submission.ts";

const connectTimeoutMs = 60_000;

/** `env: ssh`: workers on hosts that are reached by ssh and see the run folder under the same path. */
export const sshLauncher: Launcher = {
  env: "ssh",
  startsWorkers: true,
  isRemote: true,
  check: (parallel) => void checkSshOptions(parallel),
  launch(request) {
    const options = checkSshOptions(request.parallel);
    const queue = openSshQueue(runPaths(request.runDir), options);
    const site = { env: "ssh", title: "ssh", canExclude: true, outlivesDriver: false } as const;
    return driveJobs(request, { site, queue, options });
  },
  submit: submitOverSsh,
};

/** Starts jobs that need no connection. */
async function submitOverSsh({ runDir, parallel, pending }: SubmitRequest): Promise<DetachedJob[]> {
  const options = checkSshOptions(parallel);
  const { hosts, processes } = options;
  const paths = runPaths(runDir);
  mkdirSync(paths.logs, { recursive: true });
  const jobs: DetachedJob[] = [];
  const tasks = jobsFor(Math.min(parallel.nWorkers, pending), options);
  for (let i = 0; i < tasks; i++) {
    const host = hosts[i % hosts.length]!;
    const submission = newSshSubmission(options);
    const { name } = submission;
    writeSubmission(paths, submission);
    const log = paths.log(`${jobLogName(name)}.0`);
    const answer = await callProgram(sshCall(host, options, { runDir: paths.root, name, task: 0, log }), {
      timeoutMs: connectTimeoutMs,
    });
    if (answer.kind !== "answer") {
      throw new MillraceError("SCHEDULER_FAILED", `No job could be started on ${host}: ${answer.why}`, {
        hint: `Try \`ssh ${host} node --version\`. Jobs that were started on other hosts go on.`,
      });
    }
    jobs.push({ env: "ssh", name, id: host, tasks: 1, workers: processes, runDir });
  }
  return jobs;
}
