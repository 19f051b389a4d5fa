import { joinRun } from "../join/join-run.ts";
import { quietly } from "../shared/quietly.ts";
import { forgetFailure, keepFailure } from "../store/last-failure.ts";
import { type RunPaths, runPaths } from "../store/run-paths.ts";
import { beatingDrivers, isAnyoneAtWork } from "../store/run-status.ts";
import { isEndOrdered } from "../store/stop-order.ts";
import { type Command, exitCode } from "./command.ts";
import { enterRun } from "./enter-run.ts";

const words = {
  complete: "all shards are committed",
  left: "left; others may go on",
  recycled: "left, because maxRss was exceeded; start another worker if the run is to go on as fast",
} as const;

export const worker: Command = {
  name: "worker",
  usage: "RUN",
  summary: "Joins the run in the folder RUN as one more worker, until nothing is left to do.",
  details:
    "It merges nothing: whoever started the run does that. Ctrl-C saves and leaves.\n" +
    `Exit code ${exitCode.incomplete} where it left before all was done, ${exitCode.interrupted} after Ctrl-C.`,
  options: {},
  examples: ["millrace worker exp/prep"],
  arguments: { least: 1, most: 1 },
  runsUserCode: true,
  async run({ positionals: [dir] }) {
    const { runDir } = await enterRun(dir!);
    let signals = 0;
    const onSignal = () => {
      if (++signals > 1) process.exit(exitCode.interrupted);
      process.stderr.write("\nmillrace: leaving after the item in work; Ctrl-C again leaves at once\n");
    };
    process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
    process.stderr.write(`millrace: joining the run in ${runDir}\n`);
    const paths = runPaths(runDir);
    const { outcome } = await keepingFailure(paths, () =>
      joinRun({
        runDir,
        ownsProcess: true,
        watch: ({ itemTimeoutMs }) => ({ itemTimeoutMs }),
        isAskedToLeave: () => signals > 0,
        onReady: () => {
          // The run goes on: the error that ended it before says nothing any more.
          forgetFailure(paths);
          process.stderr.write("millrace: the env is built\n");
        },
      }),
    );
    const isCancelled = outcome === "left" && signals === 0 && isEndOrdered(paths);
    process.stderr.write(`millrace: ${isCancelled ? "left: the run was cancelled" : words[outcome]}\n`);
    if (signals > 0) return exitCode.interrupted;
    return outcome === "complete" ? exitCode.ok : exitCode.incomplete;
  },
};

/** Keeps the error that ends this worker where it was the only one: then it ends the run. */
async function keepingFailure<T>(paths: RunPaths, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    // On a full disk it is not kept; it is printed all the same.
    quietly(() => {
      if (!isAnyoneAtWork(paths) && beatingDrivers(paths).size === 0) keepFailure(paths, error);
    });
    throw error;
  }
}
