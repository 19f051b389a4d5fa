import { sleep } from "../../shared/sleep.ts";
import { forgetJobs, writeJobSight } from "../../store/job-sight.ts";
import type { RunPaths } from "../../store/run-paths.ts";
import { schedulers } from "./choose-scheduler.ts";
import { checkJobOptions } from "./job-options.ts";
import { openJobQueue } from "./job-queue.ts";
import type { Scheduler } from "./scheduler.ts";
import { watchJobs } from "./watch-jobs.ts";

/** The jobs of a run that others have started. */
export interface RunJobs {
  /** Asks the scheduler and writes down what it says, for all who look at the run folder. */
  refresh(): Promise<void>;
  /** Cancels all of them. Answers why that could not be done, if so. */
  cancel(): Promise<string | undefined>;
  /** Cancels those that have not begun. Of an array that has begun in part, the others leave when it is their turn. */
  cancelWaiting(): Promise<string | undefined>;
}

// An end is believed when it was told several times in a row; whoever looks only once need not wait long for that.
const mostLooks = 4;
const lookAgainMs = 300;

/** Finds the jobs of a run, whoever has submitted them; undefined where it has none that a scheduler knows. */
export async function findJobs(paths: RunPaths): Promise<RunJobs | undefined> {
  const found = (await Promise.all(schedulers.map((scheduler) => jobsAt(paths, scheduler)))).flatMap(
    (one) => one ?? [],
  );
  if (found.length === 0) return undefined;
  return {
    async refresh() {
      for (const jobs of found) await jobs.refresh();
    },
    async cancel() {
      const whys = await Promise.all(found.map((jobs) => jobs.cancel()));
      const why = whys.find((one) => one !== undefined);
      if (why === undefined) forgetJobs(paths);
      return why;
    },
    async cancelWaiting() {
      const whys = await Promise.all(found.map((jobs) => jobs.cancelWaiting()));
      return whys.find((one) => one !== undefined);
    },
  };
}

async function jobsAt(paths: RunPaths, scheduler: Scheduler): Promise<RunJobs | undefined> {
  // The run may have been gone on with elsewhere since; what is asked here does not depend on any option.
  const options = checkJobOptions({ env: scheduler.env, nWorkers: 1, options: {} }, scheduler);
  const queue = openJobQueue(paths, scheduler, options);
  const submissions = await queue.inherited();
  if (submissions.length === 0) return undefined;
  const watch = watchJobs(paths, queue, scheduler);
  watch.add(submissions);
  return {
    async refresh() {
      await watch.look();
      for (let looks = 1; looks < mostLooks && watch.isInDoubt(); looks++) {
        await sleep(lookAgainMs);
        await watch.look();
      }
      const { pending, running, lost } = watch.counts();
      writeJobSight(paths, { env: scheduler.env, pending, running, lost, silence: watch.silence() });
      if (pending + running > 0 || watch.silence() !== undefined) return;
      queue.close(watch.submissions);
      forgetJobs(paths);
    },
    cancel: () => queue.cancel(watch.submissions),
    async cancelWaiting() {
      await watch.look();
      return watch.silence() ?? (await queue.cancel(watch.waiting()));
    },
  };
}
