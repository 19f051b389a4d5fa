import { joinRun } from "../join/join-run.ts";
import { whenSynced } from "../store/group-sync.ts";
import { type Command, exitCode } from "./command.ts";

const words = {
  complete: "all shards are committed",
  left: "left; others may go on",
  recycled: "left, because maxRss was exceeded; start another worker if the run is to go on as fast",
} as const;

export const worker: Command = {
  name: "worker",
  usage: "RUN",
  summary: "Joins the run in the folder RUN as one more worker, until nothing is left to do.",
  details: "It merges nothing: whoever started the run does that. Ctrl-C saves and leaves.",
  options: {},
  examples: ["millrace worker exp/prep"],
  arguments: { least: 1, most: 1 },
  run: ({ positionals: [runDir] }) => joinAsWorker(runDir!),
};

async function joinAsWorker(runDir: string): Promise<number> {
  let signals = 0;
  const onSignal = () => {
    if (++signals > 1) process.exit(exitCode.interrupted);
    process.stderr.write("\nmillrace: leaving after the item in work; Ctrl-C again leaves at once\n");
  };
  process.on("SIGINT", onSignal).on("SIGTERM", onSignal);
  process.stderr.write(`millrace: joining the run in ${runDir}\n`);
  const { outcome } = await joinRun({
    runDir,
    ownsProcess: true,
    watch: ({ itemTimeoutMs }) => ({ itemTimeoutMs, endBy: "process" }),
    isAskedToLeave: () => signals > 0,
    onReady: () => process.stderr.write("millrace: the env is built\n"),
  });
  process.stderr.write(`millrace: ${words[outcome]}\n`);
  await whenSynced();
  // The user's env may have left something open that would keep the process alive.
  process.exit(signals > 0 ? exitCode.interrupted : exitCode.ok);
}
