import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { basename, relative } from "node:path";
import { MillraceError, messageOf } from "../../errors/errors.ts";
import { jobsOf } from "../../launchers/jobs-of.ts";
import { runPaths } from "../../run-folder/files/run-paths.ts";
import type { ObservedJobs } from "../../run-folder/jobs/job-queue-status.ts";
import { readJobRecords } from "../../run-folder/jobs/job-records.ts";
import { findRuns, type InsideRuns } from "../../run-folder/run/find-runs.ts";
import { isComplete, isUnderWay } from "../../run-folder/run/run-state.ts";
import type { Overview, RunCard } from "../run-view.ts";
import { type RunWatch, watchRun } from "../view/watch-run.ts";
import { Refusal } from "./refusal.ts";

/** One run below the served folder. */
export interface ListedRun {
  readonly id: string;
  readonly folder: string;
  readonly runDir: string;
  readonly watch: RunWatch;
}

/** The runs below a folder, by their ids. */
export interface RunList {
  cards(): Promise<RunCard[]>;
  /** The run with this id. Only runs of a listing are ever opened. */
  find(id: string): ListedRun;
  close(): void;
}

const listEveryMs = 3000;
const tidyEveryMs = 30_000;

export function openRunList(dir: string): RunList {
  const root = rootOf(dir);
  let listed = new Map<string, ListedRun>();
  let listedMs = Number.NEGATIVE_INFINITY;
  const inside: InsideRuns = new Map();
  const cards = new Map<string, { readonly key: string; readonly card: RunCard }>();
  // The view of a large run takes a few megabytes: it is released when it was not used for a while.
  const tidy = setInterval(() => {
    for (const run of listed.values()) if (run.watch.isIdle()) listed.set(run.id, { ...run, watch: watchOf(run) });
  }, tidyEveryMs);
  tidy.unref();

  return {
    async cards() {
      list(listEveryMs);
      const made: RunCard[] = [];
      for (const run of listed.values()) made.push(await cardOf(run));
      return made;
    },
    find(id) {
      list(listed.has(id) ? Number.POSITIVE_INFINITY : 0);
      const run = listed.get(id);
      if (run === undefined) throw new Refusal(404, "There is no such run.");
      return run;
    },
    close() {
      clearInterval(tidy);
      for (const { watch } of listed.values()) watch.close();
    },
  };

  function list(notAfterMs: number): void {
    if (performance.now() - listedMs < notAfterMs) return;
    const now = new Map<string, ListedRun>();
    for (const runDir of findRuns(root, { inside })) {
      const folder = relative(root, runDir) || ".";
      const id = idOf(root, folder);
      now.set(id, listed.get(id) ?? { id, folder, runDir, watch: watchOf({ runDir }) });
    }
    for (const [id, { watch, runDir }] of listed) {
      if (now.has(id)) continue;
      watch.close();
      inside.delete(runDir);
    }
    listed = now;
    listedMs = performance.now();
  }

  async function cardOf(run: ListedRun): Promise<RunCard> {
    const { id, folder, watch } = run;
    try {
      const key = stampOf(run);
      const known = cards.get(id);
      // A complete run does not change while its folder does not.
      if (known !== undefined && known.key === key && isCardComplete(known.card)) return known.card;
      const { state, items, failure } = (await watch.view()).overview();
      const problem = failure === null ? {} : { error: `${failure.code}: ${failure.message}`.split("\n", 1)[0]! };
      const card: RunCard = { id, folder, state, items, ...problem };
      cards.set(id, { key, card });
      return card;
    } catch (error) {
      return { id, folder, state: "unreadable", error: messageOf(error).split("\n", 1)[0]! };
    }
  }
}

function isCardComplete({ state }: RunCard): boolean {
  return state !== "unreadable" && isComplete(state);
}

function rootOf(dir: string): string {
  try {
    return realpathSync(dir);
  } catch (error) {
    throw new MillraceError("BAD_USAGE", `${dir} cannot be shown: ${messageOf(error)}.`, {
      hint: "Name the folder of a run, or one above it.",
    });
  }
}

/** A short and stable id with only URL-safe characters: folders may have any name. */
function idOf(root: string, folder: string): string {
  const name = basename(folder === "." ? root : folder)
    .replace(/[^\w-]+/g, "-")
    .slice(0, 40);
  return `${name}-${createHash("sha256").update(folder).digest("hex").slice(0, 12)}`;
}

/** Changes with everything that a card shows of an idle run. */
function stampOf({ runDir }: ListedRun): string {
  const paths = runPaths(runDir);
  return [paths.root, paths.merged, paths.manifest, paths.workers, paths.attempts, paths.failure]
    .map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    .join(" ");
}

/** If no driver queries the scheduler about a run's jobs, this does while a page is open. Nothing is written. */
function watchOf({ runDir }: Pick<ListedRun, "runDir">): RunWatch {
  let asking = false;
  let jobs: ReturnType<typeof jobsOf> | undefined;
  let seen: ObservedJobs | undefined;
  const onLook = ({ state }: Overview) => {
    if (asking || !isUnderWay(state)) return;
    asking = true;
    void ask().finally(() => {
      asking = false;
    });
  };
  return watchRun(runDir, { onLook, seenJobs: () => seen });

  async function ask(): Promise<void> {
    try {
      if (
        readJobRecords(runPaths(runDir)).every((record) => record.problem === undefined && record.submission.isClosed)
      )
        return;
      jobs ??= jobsOf(runDir, { isReadOnly: true });
      seen = await (await jobs)?.look();
    } catch {
      // It is asked again; meanwhile the last reply is shown.
      jobs = undefined;
    }
  }
}
