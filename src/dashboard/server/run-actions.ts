import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { jobsOf } from "../../launchers/batch/jobs-of.ts";
import type { RunJobs } from "../../launchers/batch/run-jobs.ts";
import { inheritedArguments } from "../../launchers/start-process.ts";
import { messageOf } from "../../shared/errors.ts";
import { sleep } from "../../shared/sleep.ts";
import { driverLogName } from "../../store/log-names.ts";
import { type RunPaths, runPaths } from "../../store/run-paths.ts";
import { isComplete } from "../../store/run-status.ts";
import { orderDrain, orderStop } from "../../store/stop-order.ts";
import type { ActionAnswer, Overview, RunAction } from "../run-view.ts";
import type { ListedRun } from "./run-list.ts";

/** Does what a page asks for to a run. */
export interface RunActions {
  act(run: ListedRun, action: RunAction): Promise<ActionAnswer>;
}

const lookEveryMs = 500;
// Those who are at work have a moment to save; jobs that do not hear are cancelled then.
const graceMs = 10_000;
// A retry that cannot start ends within this time, as a rule.
const firstWordsMs = 1500;
const goodCodes: readonly (number | null)[] = [0, 3];

/** `program` is the command line of millrace, which carries a retry out. */
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
    if (!isBusy(now)) return refused(isComplete(now.state) ? "The run is complete." : "Nobody works on the run.");
    const paths = runPaths(runDir);
    if (how === "drain") orderDrain(paths);
    else orderStop(paths);
    const jobs = await jobsOf(runDir);
    if (how === "drain") {
      const why = await jobs?.cancelWaiting();
      const more = why === undefined ? "" : ` Jobs that wait could not be cancelled: ${why}`;
      return { ok: true, message: `The shards in work are finished; no other is begun.${more}` };
    }
    if (jobs !== undefined) void cancelSoon(jobs, async () => (await watch.view()).overview().workers.length > 0);
    return { ok: true, message: "Everyone at work saves, gives their shard back and leaves." };
  }

  async function retry({ runDir }: ListedRun, now: Overview): Promise<ActionAnswer> {
    if (isBusy(now) || retries.has(runDir))
      return refused("Someone is at work on the run: wait until they are through.");
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
    const code = await Promise.race([ended, sleep(firstWordsMs)]);
    if (code === undefined) return { ok: true, message: `Process ${child.pid} runs the failed items once more.` };
    if (goodCodes.includes(code)) return { ok: true, message: lastLine(log) ?? "The failed items were run once more." };
    return refused(lastLine(log) ?? `millrace retry ended with ${code}.`);
  }

  function startRetry(paths: RunPaths, log: string): ChildProcess {
    mkdirSync(paths.logs, { recursive: true });
    const fd = openSync(log, "a");
    try {
      const args = [...inheritedArguments(process.execArgv), program, "retry", paths.root];
      return spawn(process.execPath, args, { detached: true, stdio: ["ignore", fd, fd] });
    } finally {
      closeSync(fd);
    }
  }
}

/** Someone is at it: also those who retry items of a complete run. */
function isBusy({ state, workers }: Overview): boolean {
  return state === "running" || state === "queued" || workers.length > 0;
}

function refused(message: string): ActionAnswer {
  return { ok: false, message };
}

async function cancelSoon(jobs: RunJobs, isAnyoneAtWork: () => Promise<boolean>): Promise<void> {
  try {
    for (let waitedMs = 0; waitedMs < graceMs && (await isAnyoneAtWork()); waitedMs += lookEveryMs)
      await sleep(lookEveryMs);
    await jobs.cancel();
  } catch {
    // Jobs that run later find the order in the folder, and leave.
  }
}

/** What a program said last, without what it said about how to go on. */
function lastLine(log: string): string | undefined {
  const lines = readFileSync(log, "utf8").trim().split("\n");
  return (
    lines.findLast((line) => line.startsWith("millrace:"))?.replace(/^millrace: /, "") ?? (lines.at(-1) || undefined)
  );
}
