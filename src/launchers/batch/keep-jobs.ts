import { MillraceError } from "../../shared/errors.ts";
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
    queue: JobQueue;
    watch: JobWatch;
    site: Pick<Scheduler, "title" | "canExclude">;
    options: Pick<JobOptions, "resubmits">;
  },
): JobKeeper {
  const deathsOn = new Map<string, number>();
  const excluded: string[] = [];
  let earlyDeaths = 0;
  let lostSoFar = 0;
  let due = 0;

  return {
    async replace(lost, needed) {
      for (const task of lost) takeNote(task);
      const { pending, running } = watch.counts();
      const missing = needed - pending - running;
      if (missing <= 0 || (lost.length === 0 && due === 0)) return;
      const budget = options.resubmits ?? Math.max(3, 2 * needed);
      if (lostSoFar > budget) throw tooManyLost(lost.at(-1), budget);
      due = 0;
      say(`submits ${missing} ${missing === 1 ? "job" : "jobs"} in place of those that ended`);
      watch.add(await queue.submit(missing, excluded));
    },
  };

  function takeNote({ kind, node, why, error }: LostTask): void {
    if (kind === "due") {
      due++;
      return;
    }
    lostSoFar++;
    say(
      `a job ${node === undefined ? "" : `on ${node} `}${kind === "failed" ? "ended before its workers were ready" : "was lost"}: ${why}`,
    );
    if (kind !== "failed") return;
    earlyDeaths = watch.wasAnyReady() ? 0 : earlyDeaths + 1;
    if (earlyDeaths >= mostEarlyDeaths) throw error ?? cannotStart(why);
    if (node !== undefined) suspect(node);
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

  function cannotStart(why: string): MillraceError {
    return new MillraceError(
      "WORKER_CRASHED",
      `${mostEarlyDeaths} jobs in a row ended before a worker was ready: ${why}`,
      {
        hint: `Look at \`millrace logs ${paths.root} --driver\` and at the job script in ${paths.jobs}: does every node see the run folder, the script and Node.js?`,
      },
    );
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
