import type { ParallelConfig } from "../../config/parallel.ts";
import type { DetachedJob } from "../../contract/task.ts";
import { isMillraceError, MillraceError } from "../../errors/errors.ts";
import { runPaths } from "../../run-folder/files/run-paths.ts";
import type { Submission } from "../../run-folder/jobs/job-records.ts";
import { BadOption, refusalOf } from "../check-options.ts";
import type { QueuedLauncher, SubmitRequest } from "../launcher.ts";
import { arraysOf } from "./array-limit.ts";
import { describeJob, makeLogFolder } from "./describe-job.ts";
import { driveJobs } from "./drive-jobs.ts";
import { checkJobOptions, jobsFor } from "./job-options.ts";
import { openJobQueue } from "./open-job-queue.ts";
import type { Scheduler } from "./scheduler.ts";
import { topUpJobs } from "./top-up-jobs.ts";
import { watchJobs } from "./watch-jobs.ts";

/** A launcher that starts workers through a scheduler. The run continues without this process. */
export function batchLauncher(scheduler: Scheduler): QueuedLauncher {
  return {
    kind: "queued",
    env: scheduler.env,
    outlivesDriver: true,
    check(parallel) {
      const job = describeJob(runPaths("."), checkJobOptions(parallel, scheduler), { tasks: 1 });
      try {
        // Each dialect checks its options when it renders a job.
        scheduler.render(job);
      } catch (error) {
        throw placeRefusal(error, parallel);
      }
    },
    describe({ runDir, parallel, pending }) {
      const options = checkJobOptions(parallel, scheduler);
      const all = jobsFor(Math.min(parallel.nWorkers, pending), options);
      // No program is called here: the limit of the scheduler is only asked for on submission.
      const tasks = arraysOf(all, options.maxArraySize ?? Number.POSITIVE_INFINITY);
      return { text: scheduler.render(describeJob(runPaths(runDir), options, { tasks: tasks[0]! })), tasks };
    },
    async submit(request) {
      const { queue, options } = open(scheduler, request);
      const tasks = jobsFor(Math.min(request.parallel.nWorkers, request.pending), options);
      const watch = watchJobs(runPaths(request.runDir), queue, scheduler);
      const living = await topUpJobs({ queue, watch }, tasks);
      const unknown = living.find(({ id }) => id === undefined);
      if (unknown !== undefined) throw unknownSubmission(scheduler, unknown, watch.silence());
      return living.map((submission) => jobOf(submission, request.runDir));
    },
    drive: (request) =>
      driveJobs(request, { site: { ...scheduler, outlivesDriver: true }, ...open(scheduler, request) }),
  };
}

/** The error if it is not known whether a submission was made: this process ends now, and must not submit a second time. */
function unknownSubmission({ title }: Scheduler, { name }: Submission, silence = "it gives no answer"): MillraceError {
  return new MillraceError(
    "SCHEDULER_FAILED",
    `${title} does not say whether it took the submission ${name}, which was not answered: ${silence}`,
    { hint: "Submit again when it answers; `millrace doctor` shows whether it does." },
  );
}

function open(scheduler: Scheduler, { runDir, parallel }: SubmitRequest) {
  const paths = runPaths(runDir);
  const options = checkJobOptions(parallel, scheduler);
  makeLogFolder(paths, options);
  return { options, queue: openJobQueue(paths, scheduler, options) };
}

/** Adds the position in the config to an error of a dialect. Its message begins with the name of the option. */
function placeRefusal(error: unknown, { options }: ParallelConfig): unknown {
  if (!isMillraceError(error)) return error;
  const [, option] = /^parallel\.options\.(\w+)/.exec(error.reason) ?? [];
  return option === undefined ? error : refusalOf(options, [new BadOption(option, error.reason, error.hint ?? "")]);
}

function jobOf({ env, name, id, tasks, processes }: Submission, runDir: string): DetachedJob {
  return { env, name, id: id ?? "", tasks, workers: tasks * processes, runDir };
}
