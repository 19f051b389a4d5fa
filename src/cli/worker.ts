import { joinRun } from "../join/join-run.ts";
import { whenSynced } from "../store/group-sync.ts";

/** `millrace worker RUN`: one more worker for a run, from any terminal that sees its folder. Answers the exit code. */
export async function joinAsWorker(runDir: string): Promise<number> {
  let signals = 0;
  const onSignal = () => {
    if (++signals > 1) process.exit(130);
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
  process.exit(signals > 0 ? 130 : 0);
}

const words = {
  complete: "all shards are committed",
  left: "left; others may go on",
  recycled: "left, because maxRss was exceeded; start another worker if the run is to go on as fast",
} as const;
