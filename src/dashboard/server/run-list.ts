import { createHash } from "node:crypto";
import { realpathSync, statSync } from "node:fs";
import { basename, relative } from "node:path";
import { jobsOf } from "../../launchers/batch/jobs-of.ts";
import { MillraceError, messageOf } from "../../shared/errors.ts";
import { findRuns, type InsideRuns } from "../../store/find-runs.ts";
import { readSubmissions } from "../../store/job-records.ts";
import { runPaths } from "../../store/run-paths.ts";
import { isComplete } from "../../store/run-status.ts";
import type { Overview, RunCard } from "../run-view.ts";
import { type RunWatch, watchRun } from "../view/watch-run.ts";
import { Refusal } from "./refusal.ts";

/** One run below the folder that is shown. */
export interface ListedRun {
  readonly id: string;
  readonly folder: string;
  readonly runDir: string;
  readonly watch: RunWatch;
}

/** The runs below a folder, by the names they have in addresses. */
export interface RunList {
  cards(): Promise<RunCard[]>;
  /** The run of an id. Only what a listing has found is ever opened. */
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
  // A view of a large run holds a few megabytes: it is let go when nobody has asked for it for a while.
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
    const key = stampOf(run);
    const known = cards.get(id);
    // A run that is complete stays as it is while its folder does.
    if (known !== undefined && known.key === key && isCardComplete(known.card)) return known.card;
    try {
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

/** Short, stable, and nothing that means anything in an address: folders have all kinds of names. */
function idOf(root: string, folder: string): string {
  const name = basename(folder === "." ? root : folder)
    .replace(/[^\w-]+/g, "-")
    .slice(0, 40);
  return `${name}-${createHash("sha256").update(folder).digest("hex").slice(0, 12)}`;
}

/** Changes with everything that a card shows of a run nobody works on. */
function stampOf({ runDir }: ListedRun): string {
  const paths = runPaths(runDir);
  return [paths.root, paths.merged, paths.manifest, paths.workers, paths.attempts, paths.failure]
    .map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0)
    .join(" ");
}

/** Where no driver asks the scheduler how the jobs of a run stand, this does while someone watches. */
function watchOf({ runDir }: Pick<ListedRun, "runDir">): RunWatch {
  let asking = false;
  let jobs: ReturnType<typeof jobsOf> | undefined;
  const onLook = ({ state }: Overview) => {
    if (asking || (state !== "queued" && state !== "running")) return;
    asking = true;
    void ask().finally(() => {
      asking = false;
    });
  };
  return watchRun(runDir, { onLook });

  async function ask(): Promise<void> {
    try {
      if (readSubmissions(runPaths(runDir)).every(({ isClosed }) => isClosed === true)) return;
      jobs ??= jobsOf(runDir);
      await (await jobs)?.refresh();
    } catch {
      // It is asked again; meanwhile the last answer is shown.
      jobs = undefined;
    }
  }
}
