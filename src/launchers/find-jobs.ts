import type { RunPaths } from "../run-folder/files/run-paths.ts";
import {
  type JobQueueStatus,
  type ObservedJobs,
  readJobQueueText,
  removeJobQueueStatus,
  writeJobQueueStatus,
} from "../run-folder/jobs/job-queue-status.ts";
import { sleep } from "../runtime/sleep.ts";
import { chooseScheduler, schedulers } from "./choose-scheduler.ts";
import { checkJobOptions } from "./jobs/job-options.ts";
import { openJobQueue } from "./jobs/open-job-queue.ts";
import { describeForeign, type QueueUse } from "./jobs/record-rights.ts";
import type { PlacedJobs, RunJobs } from "./jobs/run-jobs.ts";
import type { Scheduler } from "./jobs/scheduler.ts";
import { sortJobRecords } from "./jobs/sort-job-records.ts";
import { watchJobs } from "./jobs/watch-jobs.ts";
import { sshJobs } from "./ssh/ssh-jobs.ts";

// A task counts as ended after several consecutive reports. A single status check repeats the call this often, at this
// interval.
const maxCalls = 4;
const callEveryMs = 300;

/** Finds the jobs of a run that all its drivers have submitted; undefined if there are none. */
export async function findJobs(paths: RunPaths, use: QueueUse): Promise<RunJobs | undefined> {
  const { problems } = sortJobRecords(paths, chooseScheduler);
  const asked = await Promise.all(schedulers.map((scheduler) => jobsAt(paths, scheduler, use)));
  const found = [...asked, sshJobs(paths, use)].flatMap((one) => one ?? []);
  if (found.length === 0 && problems.length === 0) return undefined;
  const leftAlone = () => [...problems, ...found.flatMap((jobs) => jobs.leftAlone())];
  const ofAll = async (how: "cancel" | "cancelWaiting") => {
    const whys = await Promise.all(found.map((jobs) => jobs[how]()));
    return whys.find((one) => one !== undefined);
  };
  return {
    async look(): Promise<ObservedJobs> {
      const folderSaid = readJobQueueText(paths);
      const seen: { readonly status: JobQueueStatus | undefined }[] = [];
      for (const jobs of found) {
        const one = await jobs.look();
        if (one !== undefined) seen.push(one);
      }
      const statuses = seen.flatMap(({ status }) => status ?? []);
      const status = statuses.find(({ pending, running }) => pending + running > 0) ?? statuses[0];
      const isKept = use.isReadOnly !== true;
      if (isKept && seen.length > 0) keep(paths, status);
      return {
        isAsked: seen.length > 0,
        status,
        folderText: isKept ? readJobQueueText(paths) : folderSaid,
        problems: leftAlone(),
      };
    },
    async cancel() {
      const why = await ofAll("cancel");
      if (why === undefined) removeJobQueueStatus(paths);
      return why;
    },
    cancelWaiting: () => ofAll("cancelWaiting"),
    leftAlone,
    whyNotOwned: () => found.map((jobs) => jobs.whyNotOwned()).find((one) => one !== undefined),
  };
}

function keep(paths: RunPaths, status: JobQueueStatus | undefined): void {
  if (status === undefined) removeJobQueueStatus(paths);
  else writeJobQueueStatus(paths, status);
}

async function jobsAt(paths: RunPaths, scheduler: Scheduler, use: QueueUse): Promise<PlacedJobs | undefined> {
  // No options are needed: the record of a submission says where to ask.
  const options = checkJobOptions({ env: scheduler.env, nWorkers: 1, options: {} }, scheduler);
  const queue = openJobQueue(paths, scheduler, options, use);
  const submissions = await queue.inherited();
  const notAsked = queue.notAsked?.() ?? [];
  if (submissions.length + notAsked.length === 0) return undefined;
  const watch = watchJobs(paths, queue, scheduler);
  watch.add(submissions);
  const whyNotOwned = () => {
    const [one, ...others] = watch.submissions.flatMap((submission) => {
      const why = queue.whyNotOwned?.(submission);
      return why === undefined ? [] : describeForeign(paths.root, submission, why);
    });
    return one === undefined || others.length === 0 ? one : `${one} (and ${others.length} more)`;
  };
  return {
    async look() {
      if (submissions.length === 0) return undefined;
      await watch.look();
      for (let looks = 1; looks < maxCalls && watch.isInDoubt(); looks++) {
        await sleep(callEveryMs);
        await watch.look();
      }
      const { pending, running, lost } = watch.counts();
      const [waitingFor, silence] = [watch.waitingFor(), watch.silence()];
      if (pending + running > 0 || silence !== undefined)
        return { status: { env: scheduler.env, pending, running, lost, waitingFor, silence } };
      // A submission without an id may still be in progress: only its driver closes it.
      queue.close(watch.submissions.filter(({ id }) => id !== undefined));
      return { status: undefined };
    },
    cancel: async () => (await queue.cancel(watch.submissions)) ?? whyNotOwned(),
    async cancelWaiting() {
      await watch.look();
      return watch.silence() ?? (await queue.cancel(watch.waiting())) ?? whyNotOwned();
    },
    leftAlone: () => notAsked,
    whyNotOwned,
  };
}
