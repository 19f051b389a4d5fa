import { isMillraceError, MillraceError, messageOf } from "../../shared/errors.ts";
import type { Submission } from "../../store/job-records.ts";
import type { RunPaths } from "../../store/run-paths.ts";
import type { JobOptions } from "./job-options.ts";
import type { JobQueue } from "./job-queue.ts";
import type { Scheduler } from "./scheduler.ts";
import type { JobWatch, LostTask } from "./watch-jobs.ts";

/** Sees to it that a run has the jobs it needs. */
export interface JobKeeper {
  /** Takes note of lost tasks and submits others in their place, as long as so many are needed. */
  replace(lost: readonly LostTask[], needed: number): Promise<void>;
}

// So many tasks may die one after the other before any worker was ready.
const mostEarlyDeaths = 3;
// A node on which so many tasks died early, while others work elsewhere, is not used again.
const deathsOfBadNode = 2;

/** The policy: lost jobs are replaced within a budget, bad nodes excluded, and a run that cannot start is given up. */
export function keepJobs(
  paths: RunPaths,
  {
    queue,
    watch,
    site,
    options,
  }: {
    queue: Pick<JobQueue, "submit" | "inherited">;
    watch: Pick<JobWatch, "add" | "counts" | "wasAnyReady">;
    site: Pick<Scheduler, "title" | "canExclude">;
    options: Pick<JobOptions, "resubmits">;
  },
): JobKeeper {
  const deathsOn = new Map<string, number>();
  const excluded: string[] = [];
  let earlyDeaths = 0;
  let lastDeath: LostTask | undefined;
  let lostSoFar = 0;
  // Tasks have ended that nobody has taken the place of yet.
  let isOwing = false;
  let lastRefusal: string | undefined;

  return {
    async replace(lost, needed) {
      for (const task of lost) takeNote(task);
      if (watch.wasAnyReady()) earlyDeaths = 0;
      if (lastDeath !== undefined && isHopeless()) throw cannotStart(lastDeath);
      isOwing ||= lost.length > 0;
      if (!isOwing || missingOf(needed) <= 0) return;
      const budget = options.resubmits ?? Math.max(3, 2 * needed);
      if (lostSoFar > budget) throw tooManyLost(lost.at(-1), budget);
      // Another driver of the same run may have been quicker.
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
      say(`submitted ${count} ${count === 1 ? "job" : "jobs"} in place of those that ended`);
      isOwing = false;
      lastRefusal = undefined;
      return made;
    } catch (error) {
      const { pending, running } = watch.counts();
      // Where all nodes are left out, the refusal is not the reason.
      const isLeftOut = excluded.length > 0 && earlyDeaths > 0 && lastDeath !== undefined;
      if (pending + running === 0) throw isLeftOut ? cannotStart(lastDeath!) : error;
      if (!isMillraceError(error) || error.code !== "SCHEDULER_FAILED") throw error;
      const refusal = messageOf(error);
      if (lastRefusal !== refusal) say(`the other jobs go on, and this is tried again: ${refusal}`);
      lastRefusal = refusal;
      return [];
    }
  }

  function takeNote(task: LostTask): void {
    const { kind, node, why } = task;
    if (kind === "due") return;
    lostSoFar++;
    say(
      `a job ${node === undefined ? "" : `on ${node} `}${kind === "failed" ? "ended before its workers were ready" : "was lost"}: ${why}`,
    );
    if (kind !== "failed") return;
    earlyDeaths++;
    lastDeath = task;
    if (node !== undefined) suspect(node);
  }

  /** Those who are just starting elsewhere may fare better; one node can be at fault for any number of deaths. */
  function isHopeless(): boolean {
    const isOneNode = site.canExclude && deathsOn.size === 1;
    return earlyDeaths >= mostEarlyDeaths && watch.counts().running === 0 && !isOneNode;
  }

  function suspect(node: string): void {
    const deaths = (deathsOn.get(node) ?? 0) + 1;
    deathsOn.set(node, deaths);
    if (deaths !== deathsOfBadNode || excluded.includes(node)) return;
    if (!site.canExclude) {
      say(`${deaths} jobs died early on ${node}; ${site.title} cannot be told to leave it out`);
      return;
    }
    excluded.push(node);
    say(`${deaths} jobs died early on ${node}: it is not used any more`);
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
      `More than ${budget} jobs were lost${last === undefined ? "" : `; the last one: ${last.why}`}.`,
      {
        hint: "Everything committed so far is kept: run again, or raise parallel.options.resubmits.",
      },
    );
  }
}

function say(text: string): void {
  process.stderr.write(`millrace: ${text}\n`);
}
