import { formatCount } from "../driver/progress/progress-line.ts";
import type { RunJobs } from "../launchers/jobs/run-jobs.ts";
import { jobsOf } from "../launchers/jobs-of.ts";
import { runPaths } from "../run-folder/files/run-paths.ts";
import { isAtWork, isComplete } from "../run-folder/run/run-state.ts";
import { openStatus, type RunStatus } from "../run-folder/run/run-status.ts";
import { orderDrain, orderStop, withdrawStop } from "../run-folder/run/stop-order.ts";
import { sleep } from "../runtime/sleep.ts";
import { readable } from "../text/readable.ts";
import { type Command, exitCode } from "./command.ts";

const pollEveryMs = 200;
const noticeAfterMs = 3000;
const graceMs = 10_000;

export const cancel: Command = {
  name: "cancel",
  usage: "RUN [--drain] [--no-wait]",
  summary: "Stops all workers of a run, on any host: they save, release their shards and exit.",
  details: `Finished work is kept: start the run again, and it continues. Exit code ${exitCode.failed} if jobs could not be cancelled.`,
  options: {
    drain: { type: "boolean", help: "let them finish their current shards first" },
    "no-wait": { type: "boolean", help: "do not wait until they have exited" },
  },
  examples: ["millrace cancel exp/prep", "millrace cancel exp/prep --drain", "millrace cancel exp/prep --no-wait"],
  arguments: { min: 1, max: 1 },
  async run({ positionals: [runDir], has }) {
    const paths = runPaths(runDir!);
    const reader = await openStatus(runDir!);
    let now = await reader.read();
    const wasBusy = isBusy(now) || now.state === "queued";
    if (isComplete(now.state) && !wasBusy) return report(now, "is complete: there is nothing to cancel");
    const isDrain = has("drain");
    if (isDrain) orderDrain(paths);
    else orderStop(paths);
    const jobs = await jobsOf(runDir!, { isReadOnly: false });
    for (const problem of jobs?.leftAlone() ?? [])
      process.stderr.write(`millrace: nothing is cancelled for a record: ${readable(problem)}\n`);
    let areLeft = isDrain && !(await cancelJobs(jobs, "cancelWaiting"));
    if (has("no-wait") && wasBusy) {
      if (!isDrain) areLeft = !(await cancelJobs(jobs, "cancel"));
      return report(now, `is asked to stop${isDrain ? " after the current shards" : ""}`, areLeft);
    }
    let waitedMs = 0;
    let isCancelled = jobs === undefined;
    while (isBusy(now) || !isCancelled) {
      // Active workers get time to save. Then jobs that have not started or do not react are cancelled.
      if (!isCancelled && (now.workers.length === 0 || (!isDrain && waitedMs >= graceMs))) {
        areLeft = !(await cancelJobs(jobs, "cancel"));
        isCancelled = true;
      }
      await sleep(pollEveryMs);
      waitedMs += pollEveryMs;
      now = await reader.read();
      if (waitedMs === noticeAfterMs && isBusy(now)) report(now, `waits for ${names(now)}`);
    }
    if (isComplete(now.state)) {
      // No worker is left that would read the order, and it must not affect a later use of this run.
      withdrawStop(paths);
      return report(now, "was completed in the meantime", areLeft);
    }
    const { done, total } = now.items;
    return report(
      now,
      `${wasBusy ? "is stopped" : "was not running; it is"} at ${formatCount(done)} of ${formatCount(total)} items`,
      areLeft,
    );
  },
};

/** Returns true if all jobs that should be cancelled are cancelled. */
async function cancelJobs(jobs: RunJobs | undefined, how: "cancel" | "cancelWaiting"): Promise<boolean> {
  const why = await jobs?.[how]();
  if (why !== undefined) process.stderr.write(`millrace: the jobs could not be cancelled: ${readable(why)}\n`);
  return why === undefined;
}

/** Includes workers that retry items of a complete run. */
function isBusy({ state, workers }: RunStatus): boolean {
  return isAtWork(state) || workers.length > 0;
}

function names({ workers }: RunStatus): string {
  if (workers.length === 0) return "its driver, which may be merging";
  return workers
    .map(({ worker, host, pid, shard }) => {
      const where = shard === undefined ? "" : `, split.${shard}`;
      return `${worker} (${host}:${pid}${where})`;
    })
    .join(", ");
}

function report({ runDir }: RunStatus, what: string, areJobsLeft = false): number {
  const jobs = areJobsLeft ? "; its pending jobs are not cancelled: they leave when they start" : "";
  process.stderr.write(`millrace: ${runDir} ${what}${jobs}\n`);
  return areJobsLeft ? exitCode.failed : exitCode.ok;
}
