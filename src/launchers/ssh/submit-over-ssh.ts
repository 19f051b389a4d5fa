import { mkdirSync } from "node:fs";
import { MillraceError } from "../../shared/errors.ts";
import { sleep } from "../../shared/sleep.ts";
import { type Submission, writeSubmission } from "../../store/job-records.ts";
import { jobLogName } from "../../store/log-names.ts";
import { type RunPaths, runPaths } from "../../store/run-paths.ts";
import { callProgram } from "../batch/call-program.ts";
import { jobsFor } from "../batch/job-options.ts";
import type { DetachedJob, SubmitRequest } from "../launcher.ts";
import { type SshJob, seeSshJobs } from "./see-ssh-jobs.ts";
import { sshCall } from "./ssh-call.ts";
import { checkSshOptions } from "./ssh-options.ts";
import { newSshSubmission } from "./ssh-submission.ts";

const connectTimeoutMs = 60_000;
// A worker that has died is replaced within a few seconds; in between its job has none.
const mostLooks = 4;
const lookAgainMs = 1000;

/** Starts jobs that need no connection, as many as are missing: those that an earlier call has started count. */
export async function submitOverSsh({ runDir, parallel, pending }: SubmitRequest): Promise<DetachedJob[]> {
  const options = checkSshOptions(parallel);
  const paths = runPaths(runDir);
  mkdirSync(paths.logs, { recursive: true });
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
  if (jobs.length === 0) throw nobodyAnswers(refusals);
  for (const [host, why] of refusals)
    process.stderr.write(`millrace: no job could be started on ${host}, so others do its work: ${why}\n`);
  return jobs.map(({ name, host = "", processes }) => ({
    env: "ssh",
    name,
    id: host,
    tasks: 1,
    workers: processes,
    runDir,
  }));

  /** Of the hosts with the fewest jobs the first. */
  function idlest(hosts: readonly string[]): string | undefined {
    const load = (host: string) => jobs.filter((job) => job.host === host).length;
    return hosts.reduce<string | undefined>(
      (best, host) => (best === undefined || load(host) < load(best) ? host : best),
      undefined,
    );
  }

  /** Answers why it could not be started. */
  async function start(submission: Submission, host: string): Promise<string | undefined> {
    const { name } = submission;
    writeSubmission(paths, submission);
    const log = paths.log(`${jobLogName(name)}.0`);
    const call = sshCall(host, options, { runDir: paths.root, name, task: 0, log });
    const answer = await callProgram(call, { timeoutMs: connectTimeoutMs });
    if (answer.kind === "answer") return undefined;
    // A host that hung may start it yet.
    writeSubmission(paths, { ...submission, isClosed: true, isUnwanted: true });
    return answer.why;
  }
}

/** Those that are at work, or about to be. A loss is believed when it was seen several times. */
async function livingJobs(paths: RunPaths): Promise<SshJob[]> {
  for (let looks = 1; ; looks++) {
    const jobs = seeSshJobs(paths);
    if (looks === mostLooks || jobs.every(({ state }) => state !== "lost"))
      return jobs.filter(({ state }) => state === "pending" || state === "running");
    await sleep(lookAgainMs);
  }
}

function nobodyAnswers(refusals: ReadonlyMap<string, string>): MillraceError {
  const [[host, why] = ["", ""]] = refusals;
  const others = refusals.size === 1 ? "" : `, nor on the other ${refusals.size - 1}`;
  return new MillraceError("SCHEDULER_FAILED", `No job could be started on ${host}${others}: ${why}`, {
    hint: `Try \`ssh ${host} node --version\`.`,
  });
}
