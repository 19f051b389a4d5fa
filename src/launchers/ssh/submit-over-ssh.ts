import type { DetachedJob } from "../../contract/task.ts";
import { MillraceError } from "../../errors/errors.ts";
import { jobLogName } from "../../run-folder/files/log-names.ts";
import { makeFolderInRun } from "../../run-folder/files/run-files.ts";
import { type RunPaths, runPaths } from "../../run-folder/files/run-paths.ts";
import { type Submission, writeSubmission } from "../../run-folder/jobs/job-records.ts";
import { sleep } from "../../runtime/sleep.ts";
import { callProgram } from "../jobs/call-program.ts";
import { jobsFor } from "../jobs/job-options.ts";
import type { SubmitRequest } from "../launcher.ts";
import { readSshJobs, type SshJob } from "./read-ssh-jobs.ts";
import { sshCall } from "./ssh-call.ts";
import { checkSshOptions } from "./ssh-options.ts";
import { newSshSubmission } from "./ssh-submission.ts";

const connectTimeoutMs = 60_000;
// A dead worker is replaced within a few seconds. In the meantime its job has none.
const maxReads = 4;
const readEveryMs = 1000;

/** Starts jobs that need no connection, until there are enough. Jobs of earlier calls count. */
export async function submitOverSsh({ runDir, parallel, pending }: SubmitRequest): Promise<DetachedJob[]> {
  const options = checkSshOptions(parallel);
  const paths = runPaths(runDir);
  makeFolderInRun(paths.root, paths.logs);
  const jobs = (await livingJobs(paths)).map(({ submission }) => submission);
  const refusals = new Map<string, string>();
  const needed = jobsFor(Math.min(parallel.nWorkers, pending), options);
  while (jobs.length < needed) {
    const host = idlest(options.hosts.filter((one) => !refusals.has(one)));
    if (host === undefined) break;
    const submission = newSshSubmission(host, options);
    const why = await start(submission, host);
    if (why === undefined) jobs.push(submission);
    else refusals.set(host, why);
  }
  if (jobs.length === 0) throw noHostAnswers(refusals);
  for (const [host, why] of refusals)
    process.stderr.write(`millrace: no job could be started on ${host}, so other jobs do its work: ${why}\n`);
  return jobs.map(({ name, host = "", processes }) => ({
    env: "ssh",
    name,
    id: host,
    tasks: 1,
    workers: processes,
    runDir,
  }));

  /** The first of the hosts with the fewest jobs. */
  function idlest(hosts: readonly string[]): string | undefined {
    const load = (host: string) => jobs.filter((job) => job.host === host).length;
    return hosts.reduce<string | undefined>(
      (best, host) => (best === undefined || load(host) < load(best) ? host : best),
      undefined,
    );
  }

  /** Starts a job. Returns the reason if that failed. */
  async function start(submission: Submission, host: string): Promise<string | undefined> {
    const { name } = submission;
    writeSubmission(paths, submission);
    const log = paths.log(`${jobLogName(name)}.0`);
    const call = sshCall(host, options, { runDir: paths.root, name, task: 0, log });
    const answer = await callProgram(call, { timeoutMs: connectTimeoutMs });
    if (answer.kind === "answer") return undefined;
    // A host that hangs may still start it.
    writeSubmission(paths, { ...submission, isClosed: true, isUnwanted: true });
    return answer.why;
  }
}

/** Jobs that run or are starting. A job counts as lost after several consecutive reads. */
async function livingJobs(paths: RunPaths): Promise<SshJob[]> {
  for (let reads = 1; ; reads++) {
    const jobs = readSshJobs(paths);
    if (reads === maxReads || jobs.every(({ state }) => state !== "lost"))
      return jobs.filter(({ state }) => state === "pending" || state === "running");
    await sleep(readEveryMs);
  }
}

function noHostAnswers(refusals: ReadonlyMap<string, string>): MillraceError {
  const [[host, why] = ["", ""]] = refusals;
  const others = refusals.size === 1 ? "" : `, nor on the other ${refusals.size - 1}`;
  return new MillraceError("SCHEDULER_FAILED", `No job could be started on ${host}${others}: ${why}`, {
    hint: `Try \`ssh ${host} node --version\`.`,
  });
}
