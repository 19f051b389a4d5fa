import type { ParallelConfig } from "../../config/parallel.ts";
import { forgetJobs, writeJobSight } from "../../store/job-sight.ts";
import type { RunPaths } from "../../store/run-paths.ts";
import { chooseScheduler } from "./choose-scheduler.ts";
import { checkJobOptions } from "./job-options.ts";
import { type JobQueue, openJobQueue } from "./job-queue.ts";
import { type JobWatch, watchJobs } from "./watch-jobs.ts";

/** The jobs of a run that others have started. */
export interface RunJobs {
  readonly queue: JobQueue;
  readonly watch: JobWatch;
  /** Asks the scheduler and writes down what it says, for all who look at the run folder. */
  refresh(): Promise<void>;
  /** Cancels all of them. Answers why that could not be done, if so. */
  cancel(): Promise<string | undefined>;
}

/** Finds the jobs of a run; undefined where it has none that a scheduler knows. */
export async function findJobs(paths: RunPaths, parallel: ParallelConfig): Promise<RunJobs | undefined> {
  const scheduler = chooseScheduler(parallel.env);
  if (scheduler === undefined) return undefined;
  const queue = openJobQueue(paths, scheduler, checkJobOptions(parallel, scheduler));
  const submissions = await queue.inherited();
  if (submissions.length === 0) return undefined;
  const watch = watchJobs(paths, queue, scheduler);
  watch.add(submissions);
  return {
    queue,
    watch,
    async refresh() {
      await watch.look();
      const { pending, running, lost } = watch.counts();
      writeJobSight(paths, { env: scheduler.env, pending, running, lost, silence: watch.silence() });
      if (pending + running > 0 || watch.silence() !== undefined) return;
      queue.close(watch.submissions);
      forgetJobs(paths);
    },
    async cancel() {
      const why = await queue.cancel(watch.submissions);
      if (why === undefined) forgetJobs(paths);
      return why;
    },
  };
}
