import { join } from "node:path";
import { runFolder } from "../contract/runner-options.ts";
import type { OnRecords } from "../contract/start-run.ts";
import type { RetryFilter, SubmittedRun, Task } from "../contract/task.ts";
import { MillraceError } from "../errors/errors.ts";
import { chooseLauncher } from "../launchers/choose-launcher.ts";
import { outlivesDriver } from "../launchers/launcher.ts";
import type { Items } from "../plan/collect-items.ts";
import type { ItemList } from "../plan/item-list.ts";
import { runPaths } from "../run-folder/files/run-paths.ts";
import { readManifest } from "../run-folder/run/manifest.ts";
import { untilIdle } from "../runtime/until-idle.ts";
import { driveRun } from "./drive-run.ts";
import { CommitFollower } from "./follow-commits.ts";
import { retryFailed } from "./retry-failed.ts";
import { makeRequest } from "./run-request.ts";
import { submitRun } from "./submit-run.ts";
import { inTemporaryFolder } from "./temporary-folder.ts";
import { onBeforeExit, withStopSignals } from "./with-stop-signals.ts";

/** Runs a task over the items, or over those that are left, and merges. `onRecords` gets the records of each shard when it is committed. */
export async function runTask<Merged>(
  task: Task<Merged>,
  items: Items | ItemList,
  onRecords?: OnRecords,
): Promise<Merged> {
  return withStopSignals(await stopping(task), (stop) =>
    inRunFolder(task, (runDir) => {
      const drive = (one: Task<Merged>) =>
        untilIdle(driveRun<Merged>(makeRequest(one, { runDir, items, stop })), () => neverEnds(task), { isLast: true });
      return onRecords === undefined ? drive(task) : followed(task, { runDir, onRecords }, drive);
    }),
  );
}

function neverEnds({ runner }: Task<unknown>): MillraceError {
  return new MillraceError("BAD_RUNNER", `A hook of ${runner.name} returned a promise that can never settle.`, {
    hint: "Look at its writers, state, merge and teardown: nothing else was left to do in this process.",
  });
}

/** Runs `act` with a task, and passes its records to `onRecords` as shards are committed. */
async function followed<Merged>(
  task: Task<Merged>,
  { runDir, onRecords }: { readonly runDir: string; readonly onRecords: OnRecords },
  act: (task: Task<Merged>) => Promise<Merged>,
): Promise<Merged> {
  const follower = new CommitFollower(runDir, { onRecords, isKept: task.options.outputDir !== undefined });
  const following = follower.follow();
  try {
    return await act({
      ...task,
      merge: async (shardDirs, run) => {
        await follower.end(run.committed);
        return task.merge(shardDirs, run);
      },
    });
  } finally {
    await follower.end();
    await following;
  }
}

/** Hands a task to workers that finish it without this process. */
export async function submitTask(task: Task<unknown>, items: Items): Promise<SubmittedRun> {
  const runDir = runFolder(task.options);
  if (runDir === undefined) {
    throw new MillraceError("BAD_OPTION", "A run that is left alone needs an outputDir (or an asyncResultDir).", {
      hint: "Its folder must stay when this process has ended.",
    });
  }
  const stop = { leave: new AbortController().signal, kill: new AbortController().signal };
  return submitRun(makeRequest(task, { runDir, items, stop }));
}

/** Runs the rest of the run that is in `outputDir`, over the items it was begun with, and merges. */
export async function resumeTask<Merged>(task: Task<Merged>): Promise<Merged> {
  const runDir = runFolder(task.options);
  const manifest = runDir === undefined ? undefined : readManifest(runPaths(runDir));
  if (manifest !== undefined) return runTask(task, manifest.plan.items);
  throw new MillraceError("RUN_NOT_FOUND", `There is no run in ${runDir ?? "a temporary folder"}.`, {
    hint: "Start it with run(items) and an outputDir.",
  });
}

/** Runs the failed items again, puts the new results into their shards, and merges again. */
export async function retryTask<Merged>(task: Task<Merged>, filter: RetryFilter): Promise<Merged> {
  const runDir = runFolder(task.options);
  if (runDir === undefined) {
    throw new MillraceError("BAD_OPTION", "retryFailed needs the outputDir of the run whose items failed.", {
      hint: "Pass the outputDir that the run had; without one nothing of it was kept.",
    });
  }
  return withStopSignals(await stopping(task), (stop) =>
    retryFailed<Merged>(makeRequest(task, { runDir, items: [], stop }), filter),
  );
}

async function stopping({
  options,
}: Task<unknown>): Promise<{ userSignal: AbortSignal | undefined; outlivesDriver: boolean }> {
  return { userSignal: options.signal, outlivesDriver: outlivesDriver(await chooseLauncher(options.parallel())) };
}

/** Without an `outputDir` the run has a temporary folder, and its records are returned in memory. */
async function inRunFolder<Merged>(
  { options }: Task<Merged>,
  act: (runDir: string) => Promise<Merged>,
): Promise<Merged> {
  const runDir = runFolder(options);
  if (runDir !== undefined) return act(runDir);
  return inTemporaryFolder(onBeforeExit, async (folder) => {
    const merged = await act(join(folder, options.shardSubdir));
    return Array.isArray(merged) ? ([...merged] as Merged) : merged;
  });
}
