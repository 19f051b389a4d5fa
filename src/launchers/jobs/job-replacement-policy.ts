import { isMillraceError, MillraceError, messageOf } from "../../errors/errors.ts";
import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import type { Submission } from "../../run-folder/jobs/job-records.ts";
import { openRunProgress } from "../../run-folder/run/run-progress.ts";
import type { JobOptions } from "./job-options.ts";
import type { JobQueue } from "./job-queue.ts";
import { taskKey } from "./judge-tasks.ts";
import type { Scheduler } from "./scheduler.ts";
import type { JobWatch, LostTask } from "./watch-jobs.ts";

/** Decides which lost jobs are replaced. */
export interface JobReplacementPolicy {
  /** Counts lost tasks and submits jobs until `needed` are pending or running. */
  replace(lost: readonly LostTask[], needed: number): Promise<void>;
}

// After this many consecutive tasks that end before a worker is ready, the run is given up.
const maxEarlyDeaths = 3;
// A node on which this many tasks ended early is excluded.
const deathsOfBadNode = 2;

/** Lost jobs are replaced within a budget, bad nodes are excluded, and a run that cannot start is given up. */
export function jobReplacementPolicy(
  paths: RunPaths,
  {
    queue,
    watch,
    site,
    options,
    hasProgress = openRunProgress(paths),
  }: {
    queue: Pick<JobQueue, "submit" | "inherited" | "withdraw" | "whyNotOwned">;
    watch: Pick<JobWatch, "add" | "counts" | "look" | "submissions" | "waitingTasks" | "wasAnyReady">;
    site: Pick<Scheduler, "title" | "canExclude">;
    options: Pick<JobOptions, "resubmits">;
    hasProgress?: () => boolean;
  },
): JobReplacementPolicy {
  const deathsOn = new Map<string, number>();
  const excluded: string[] = [];
  // Submissions from before a node was excluded: their pending tasks may still be sent to it.
  let outdated: readonly Submission[] = [];
  const withdrawn = new Set<string>();
  let earlyDeaths = 0;
  let lastDeath: LostTask | undefined;
  let lostSoFar = 0;
  // Whether tasks have ended that are not replaced yet.
  let hasToReplace = false;
  let lastRefusal: string | undefined;

  return {
    async replace(lost, needed) {
      for (const task of lost) noteLoss(task);
      if (watch.wasAnyReady()) earlyDeaths = 0;
      if (lastDeath !== undefined && cannotSucceed()) throw cannotStart(lastDeath);
      const lostSince = await withdrawOutdated();
      for (const task of lostSince) noteLoss(task);
      hasToReplace ||= lost.length + lostSince.length > 0;
      if (!hasToReplace || missingOf(needed) <= 0) return;
      const budget = options.resubmits ?? Math.max(3, 2 * needed);
      // A run that makes progress in spite of lost jobs continues, unless the user has set `resubmits`.
      if (options.resubmits === undefined && hasProgress()) lostSoFar = 0;
      if (lostSoFar > budget) throw tooManyLost(lost.at(-1), budget);
      // Another driver of the same run may already have replaced them.
      watch.add(await queue.inherited());
      const missing = missingOf(needed);
      if (missing > 0) watch.add(await submit(missing));
    },
  };

  function missingOf(needed: number): number {
    const { pending, running } = watch.counts();
    return needed - pending - running;
  }

  async function submit(count: number): Promise<Submission[]> {
    try {
      const made = await queue.submit(count, excluded);
      print(`submitted ${count} ${count === 1 ? "job" : "jobs"} to replace those that ended`);
      hasToReplace = false;
      lastRefusal = undefined;
      return made;
    } catch (error) {
      const { pending, running } = watch.counts();
      // If nodes are excluded, the scheduler may refuse because none is left: then the early end of jobs is the cause.
      const areNodesExcluded = excluded.length > 0 && earlyDeaths > 0 && lastDeath !== undefined;
      if (pending + running === 0) throw areNodesExcluded ? cannotStart(lastDeath!) : error;
      if (!isMillraceError(error) || error.code !== "SCHEDULER_FAILED") throw error;
      const refusal = messageOf(error);
      if (lastRefusal !== refusal) print(`the other jobs continue, and this is tried again: ${refusal}`);
      lastRefusal = refusal;
      return [];
    }
  }

  function noteLoss(task: LostTask): void {
    const { kind, node, why } = task;
    if (kind === "due") return;
    lostSoFar++;
    print(
      `a job ${node === undefined ? "" : `on ${node} `}${kind === "failed" ? "ended before its workers were ready" : "was lost"}: ${why}`,
    );
    if (kind !== "failed") return;
    earlyDeaths++;
    lastDeath = task;
    if (node !== undefined) suspect(node);
  }

  /** Whether the run cannot start. Not if tasks are starting, or if all early ends were on one node that can be excluded. */
  function cannotSucceed(): boolean {
    const isOneNode = site.canExclude && deathsOn.size === 1;
    return earlyDeaths >= maxEarlyDeaths && watch.counts().running === 0 && !isOneNode;
  }

  function suspect(node: string): void {
    const deaths = (deathsOn.get(node) ?? 0) + 1;
    deathsOn.set(node, deaths);
    if (deaths !== deathsOfBadNode || excluded.includes(node)) return;
    if (!site.canExclude) {
      print(`${deaths} jobs died early on ${node}; ${site.title} cannot exclude it`);
      return;
    }
    excluded.push(node);
    outdated = watch.submissions.filter((submission) => queue.whyNotOwned?.(submission) === undefined);
    print(`${deaths} jobs died early on ${node}: no more jobs are submitted to it`);
  }

  /** Cancels pending jobs that could be sent to an excluded node; others replace them. */
  async function withdrawOutdated(): Promise<readonly LostTask[]> {
    const waiting = watch.waitingTasks().flatMap(({ submission, tasks }) => {
      const left = tasks.filter((task) => !withdrawn.has(taskKey(submission, task)));
      return outdated.includes(submission) && left.length > 0 ? [{ submission, tasks: left }] : [];
    });
    const count = waiting.reduce((sum, { tasks }) => sum + tasks.length, 0);
    if (count === 0) return [];
    const those = count === 1 ? "a job that waits" : `${count} jobs that wait`;
    const nodes = excluded.join(", ");
    if (queue.withdraw === undefined) {
      print(`${site.title} may still send ${those} to ${nodes}: it cannot cancel them`);
      outdated = [];
      return [];
    }
    const refusal = await queue.withdraw(waiting);
    if (refusal !== undefined) {
      if (lastRefusal !== refusal)
        print(`${site.title} may still send ${those} to ${nodes}; this is tried again: ${refusal}`);
      lastRefusal = refusal;
      return [];
    }
    print(`cancelled ${those}, for others that are not sent to ${nodes}`);
    for (const { submission, tasks } of waiting) for (const task of tasks) withdrawn.add(taskKey(submission, task));
    return watch.look();
  }

  function cannotStart({ why, error }: LostTask): MillraceError {
    if (error !== undefined) return error;
    const many = earlyDeaths === 1 ? "A job" : `${earlyDeaths} jobs in a row`;
    return new MillraceError("WORKER_CRASHED", `${many} ended before a worker was ready: ${why}`, {
      hint: `Look at \`millrace logs ${paths.root} --driver\` and at the job script in ${paths.jobs}: does every node see the run folder, the script and Node.js?`,
    });
  }

  function tooManyLost(last: LostTask | undefined, budget: number): MillraceError {
    return new MillraceError(
      "JOBS_LOST",
      `More than ${budget} jobs were lost${options.resubmits === undefined ? ", and the run saved nothing meanwhile" : ""}${last === undefined ? "" : `; the last one: ${last.why}`}.`,
      {
        hint: "Everything committed so far is kept: run again, or raise parallel.options.resubmits.",
      },
    );
  }
}

function print(text: string): void {
  process.stderr.write(`millrace: ${text}\n`);
}
