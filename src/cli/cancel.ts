import { formatCount } from "../drive/progress-line.ts";
import { jobsOf } from "../launchers/batch/jobs-of.ts";
import type { RunJobs } from "../launchers/batch/run-jobs.ts";
import { sleep } from "../shared/sleep.ts";
import { runPaths } from "../store/run-paths.ts";
import { isComplete, openStatus, type RunStatus } from "../store/run-status.ts";
import { orderDrain, orderStop, withdrawStop } from "../store/stop-order.ts";
import { type Command, exitCode } from "./command.ts";

const lookEveryMs = 200;
const patienceMs = 3000;
const graceMs = 10_000;

export const cancel: Command = {
  name: "cancel",
  usage: "RUN [--drain] [--no-wait]",
  summary: "Has everyone at work on a run, on any host, save, give their shards back and leave.",
  details: `What is done is kept: start the run again and it goes on. Exit code ${exitCode.failed} where jobs could not be cancelled.`,
  options: {
    drain: { type: "boolean", help: "they finish the shards they are at, begin no other, and leave then" },
    "no-wait": { type: "boolean", help: "do not wait until they have left" },
  },
  examples: ["millrace cancel exp/prep", "millrace cancel exp/prep --drain", "millrace cancel exp/prep --no-wait"],
  arguments: { least: 1, most: 1 },
  async run({ positionals: [runDir], has }) {
    const paths = runPaths(runDir!);
    const reader = await openStatus(runDir!);
    let now = await reader.read();
    const wasBusy = isBusy(now) || now.state === "queued";
    if (isComplete(now.state) && !wasBusy) return tell(now, "is complete: there is nothing to cancel");
    const isDrain = has("drain");
    if (isDrain) orderDrain(paths);
    else orderStop(paths);
    const jobs = await jobsOf(runDir!);
    let areLeft = isDrain && !(await cancelJobs(jobs, "cancelWaiting"));
    if (has("no-wait") && wasBusy) {
      if (!isDrain) areLeft = !(await cancelJobs(jobs, "cancel"));
      return tell(now, `is asked to stop${isDrain ? " after the shards in work" : ""}`, areLeft);
    }
    let waitedMs = 0;
    let isCancelled = jobs === undefined;
    while (isBusy(now) || !isCancelled) {
      // Those who are at work have a moment to save; whoever has not begun, or does not hear, is ended.
      if (!isCancelled && (now.workers.length === 0 || (!isDrain && waitedMs >= graceMs))) {
        areLeft = !(await cancelJobs(jobs, "cancel"));
        isCancelled = true;
      }
      await sleep(lookEveryMs);
      waitedMs += lookEveryMs;
      now = await reader.read();
      if (waitedMs === patienceMs && isBusy(now)) tell(now, `waits for ${names(now)}`);
    }
    if (isComplete(now.state)) {
      // Nobody is left to obey, and what is done later with this run is not meant.
      withdrawStop(paths);
      return tell(now, "was completed meanwhile", areLeft);
    }
    const { done, total } = now.items;
    return tell(
      now,
      `${wasBusy ? "is stopped" : "was not running; it stands"} at ${formatCount(done)} of ${formatCount(total)} items`,
      areLeft,
    );
  },
};

/** Answers whether none is left that should have been cancelled. */
async function cancelJobs(jobs: RunJobs | undefined, how: "cancel" | "cancelWaiting"): Promise<boolean> {
  const why = await jobs?.[how]();
  if (why !== undefined) process.stderr.write(`millrace: the jobs could not be cancelled: ${why}\n`);
  return why === undefined;
}

/** Someone is at it: also those who retry items of a complete run. */
function isBusy({ state, workers }: RunStatus): boolean {
  return state === "running" || workers.length > 0;
}

function names({ workers }: RunStatus): string {
  if (workers.length === 0) return "its driver, which may be merging";
  return workers
    .map(({ host, pid, shard }) => `${host}:${pid}${shard === undefined ? "" : ` (split.${shard})`}`)
    .join(", ");
}

function tell({ runDir }: RunStatus, what: string, areJobsLeft = false): number {
  const jobs = areJobsLeft ? "; its jobs are left, and leave by themselves when it is their turn" : "";
  process.stderr.write(`millrace: ${runDir} ${what}${jobs}\n`);
  return areJobsLeft ? exitCode.failed : exitCode.ok;
}
