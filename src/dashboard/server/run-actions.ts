import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, readFileSync } from "node:fs";
import { messageOf } from "../../errors/errors.ts";
import type { RunJobs } from "../../launchers/jobs/run-jobs.ts";
import { jobsOf } from "../../launchers/jobs-of.ts";
import { driverLogName } from "../../run-folder/files/log-names.ts";
import { makeFolderInRun, openToAppendInRun } from "../../run-folder/files/run-files.ts";
import { type RunPaths, runPaths } from "../../run-folder/files/run-paths.ts";
import { isComplete, isUnderWay } from "../../run-folder/run/run-state.ts";
import { orderDrain, orderStop } from "../../run-folder/run/stop-order.ts";
import { inheritedArguments } from "../../runtime/inherited-arguments.ts";
import { sleep } from "../../runtime/sleep.ts";
import type { ActionAnswer, Overview, RunAction } from "../run-view.ts";
import type { ListedRun } from "./run-list.ts";

/** Executes the actions that a page requests. */
export interface RunActions {
  act(run: ListedRun, action: RunAction): Promise<ActionAnswer>;
}

const pollEveryMs = 500;
// Active workers get time to save; jobs that do not react are cancelled after it.
const graceMs = 10_000;
// A retry that cannot start usually ends within this time.
const startupMs = 1500;
const goodCodes: readonly (number | null)[] = [0, 3];

/** `program` is the command line of millrace, which runs a retry. */
export function openRunActions(program: string): RunActions {
  const retries = new Map<string, ChildProcess>();
  return {
    async act(run, action) {
      const overview = (await run.watch.view()).overview();
      try {
        return action === "retry" ? await retry(run, overview) : await stop(run, overview, action);
      } catch (error) {
        return { ok: false, message: messageOf(error).split("\n", 1)[0]! };
      } finally {
        run.watch.poke();
      }
    },
  };

  async function stop({ runDir, watch }: ListedRun, now: Overview, how: "cancel" | "drain"): Promise<ActionAnswer> {
    if (!isBusy(now)) return refused(isComplete(now.state) ? "The run is complete." : "No process works on the run.");
    const paths = runPaths(runDir);
    if (how === "drain") orderDrain(paths);
    else orderStop(paths);
    const jobs = await jobsOf(runDir, { isReadOnly: false });
    if (how === "drain") {
      const why = await jobs?.cancelWaiting();
      const more = why === undefined ? "" : ` Jobs that wait could not be cancelled: ${why}`;
      return { ok: true, message: `The current shards are finished; no other is started.${more}` };
    }
    if (jobs !== undefined) void cancelSoon(jobs, async () => (await watch.view()).overview().workers.length > 0);
    const whyNotOwned = jobs?.whyNotOwned();
    const more = whyNotOwned === undefined ? "" : ` But ${whyNotOwned}.`;
    return { ok: true, message: `All workers save, release their shards and exit.${more}` };
  }

  async function retry({ runDir }: ListedRun, now: Overview): Promise<ActionAnswer> {
    if (isBusy(now) || retries.has(runDir)) return refused("The run is being worked on: wait until that has ended.");
    if (now.items.failed === 0) return refused("No item has failed.");
    const paths = runPaths(runDir);
    const log = paths.log(driverLogName(`retry-${Date.now().toString(36)}`, { isWorker: false }));
    const child = startRetry(paths, log);
    retries.set(runDir, child);
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once("exit", resolve);
      child.once("error", reject);
    }).finally(() => retries.delete(runDir));
    ended.catch(() => {});
    child.unref();
    const code = await Promise.race([ended, sleep(startupMs)]);
    if (code === undefined) return { ok: true, message: `Process ${child.pid} runs the failed items again.` };
    if (goodCodes.includes(code)) return { ok: true, message: lastLine(log) ?? "The failed items were run again." };
    return refused(lastLine(log) ?? `millrace retry ended with ${code}.`);
  }

  function startRetry(paths: RunPaths, log: string): ChildProcess {
    makeFolderInRun(paths.root, paths.logs);
    const fd = openToAppendInRun(paths.root, log);
    try {
      const args = [...inheritedArguments(process.execArgv), program, "retry", paths.root];
      return spawn(process.execPath, args, { detached: true, stdio: ["ignore", fd, fd] });
    } finally {
      closeSync(fd);
    }
  }
}

/** Includes workers that retry items of a complete run. */
function isBusy({ state, workers }: Overview): boolean {
  return isUnderWay(state) || workers.length > 0;
}

function refused(message: string): ActionAnswer {
  return { ok: false, message };
}

async function cancelSoon(jobs: RunJobs, hasWorkers: () => Promise<boolean>): Promise<void> {
  try {
    for (let waitedMs = 0; waitedMs < graceMs && (await hasWorkers()); waitedMs += pollEveryMs)
      await sleep(pollEveryMs);
    await jobs.cancel();
  } catch {
    // Jobs that start later find the order in the folder and exit.
  }
}

/** The last line that a program printed, without its advice. */
function lastLine(log: string): string | undefined {
  const lines = readFileSync(log, "utf8").trim().split("\n");
  return (
    lines.findLast((line) => line.startsWith("millrace:"))?.replace(/^millrace: /, "") ?? (lines.at(-1) || undefined)
  );
}
