import { statSync } from "node:fs";
import { type RunPaths, runPaths } from "../run-folder/files/run-paths.ts";
import { readJobSpec } from "../run-folder/jobs/job-spec.ts";
import { removeFailure, writeFailure } from "../run-folder/run/last-failure.ts";
import { isAnyWorkerAlive, liveDrivers } from "../run-folder/run/run-status.ts";
import { isEndOrdered } from "../run-folder/run/stop-order.ts";
import { ignoreErrors } from "../runtime/ignore-errors.ts";
import { readable } from "../text/readable.ts";
import { joinRun } from "../worker/join/join-run.ts";
import { type CodeTrust, type Command, exitCode, trustOf, trustOption } from "./command.ts";
import { enterRun } from "./enter-run.ts";

const outcomes = {
  complete: "all shards are committed",
  left: "left; other workers may continue",
  recycled: "left, because maxRss was exceeded; start another worker to replace it",
} as const;

export const worker: Command = {
  name: "worker",
  usage: "RUN|SPEC [--trust]",
  summary: "Joins the run in the folder RUN as one more worker, until all items are done.",
  details:
    "It does not merge: the process that started the run does that. Ctrl-C saves and leaves.\n" +
    "With SPEC, a file of async_specs_dir, it runs that task of a submitted run, as the scheduler would: its workers, and\n" +
    "the merge at the end.\n" +
    `Exit code ${exitCode.incomplete} if it left before all items were done, ${exitCode.interrupted} after Ctrl-C.`,
  options: { trust: trustOption },
  examples: ["millrace worker exp/prep"],
  arguments: { min: 1, max: 1 },
  runsUserCode: true,
  async run(input) {
    const place = input.positionals[0]!;
    if (statSync(place, { throwIfNoEntry: false })?.isFile() === true) return runTask(place, trustOf(input));
    const { runDir } = await enterRun(place, trustOf(input));
    let signals = 0;
    const onSignal = () => {
      if (++signals > 1) process.exit(exitCode.interrupted);
      process.stderr.write("\nmillrace: leaving after the current item; Ctrl-C again leaves at once\n");
    };
    process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
    process.stderr.write(`millrace: joining the run in ${runDir}\n`);
    const paths = runPaths(runDir);
    const { outcome } = await savingFailure(paths, () =>
      joinRun({
        runDir,
        ownsProcess: true,
        watch: ({ itemTimeoutMs }) => ({ itemTimeoutMs }),
        isAskedToLeave: () => signals > 0,
        onReady: () => {
          // The run continues, so the previous failure is cleared.
          removeFailure(paths);
          process.stderr.write("millrace: the env is built\n");
        },
      }),
    );
    const isCancelled = outcome === "left" && signals === 0 && isEndOrdered(paths);
    process.stderr.write(`millrace: ${isCancelled ? "left: the run was cancelled" : outcomes[outcome]}\n`);
    if (signals > 0) return exitCode.interrupted;
    return outcome === "complete" ? exitCode.ok : exitCode.incomplete;
  },
};

/** Runs one task of a submitted run here. */
async function runTask(file: string, trust: CodeTrust): Promise<number> {
  const { runDir, name, task } = readJobSpec(file);
  await enterRun(runDir, trust);
  process.stderr.write(`millrace: running task ${task} of ${readable(name)} of the run in ${readable(runDir)}\n`);
  const { runJob } = await import("../node-job/run-job.ts");
  return runJob({ runDir, name, task, isAttached: false });
}

/** Saves the error that ends this worker if it was the only worker: then it ends the run. */
async function savingFailure<T>(paths: RunPaths, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    // Ignored if it cannot be written (full disk): the error is printed too.
    ignoreErrors(() => {
      if (!isAnyWorkerAlive(paths) && liveDrivers(paths).size === 0) writeFailure(paths, error);
    });
    throw error;
  }
}
