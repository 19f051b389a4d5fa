import { sleep } from "../../shared/sleep.ts";
import { forgetJobs, writeJobSight } from "../../store/job-sight.ts";
import type { RunPaths } from "../../store/run-paths.ts";
import { sshJobs } from "../ssh/ssh-jobs.ts";
import { schedulers } from "./choose-scheduler.ts";
import { checkJobOptions } from "./job-options.ts";
import { openJobQueue } from "./job-queue.ts";
import type { RunJobs } from "./run-jobs.ts";
import type { Scheduler } from "./scheduler.ts";
import { watchJobs } from "./watch-jobs.ts";

// An end is believed when it was told several times in a row; whoever looks only once need not wait long for that.
const mostLooks = 4;
const lookAgainMs = 300;

/** Finds the jobs of a run, whoever has submitted them; undefined where it has none. */
export async function findJobs(paths: RunPaths): Promise<RunJobs | undefined> {
  const asked = await Promise.all(schedulers.map((scheduler) => jobsAt(paths, scheduler)));
  const found = [...asked, sshJobs(paths)].flatMap((one) => one ?? []);
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
  // Whoever asks need not know the options: where a submission is asked for is kept with it.
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
      const [waitingFor, silence] = [watch.waitingFor(), watch.silence()];
      writeJobSight(paths, { env: scheduler.env, pending, running, lost, waitingFor, silence });
      if (pending + running > 0 || silence !== undefined) return;
      // One that nobody has found may be on its way: that is for whoever submits it to say.
      queue.close(watch.submissions.filter(({ id }) => id !== undefined));
      forgetJobs(paths);
    },
    cancel: () => queue.cancel(watch.submissions),
    async cancelWaiting() {
      await watch.look();
      return watch.silence() ?? (await queue.cancel(watch.waiting()));
    },
  };
}
