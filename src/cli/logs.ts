import { closeSync, openSync, readSync } from "node:fs";
import { MillraceError } from "../shared/errors.ts";
import { sleep } from "../shared/sleep.ts";
import { inspectShard } from "../store/done.ts";
import { type RunPaths, runPaths } from "../store/run-paths.ts";
import { openStatus } from "../store/run-status.ts";
import { namesIn } from "../store/scan-shards.ts";
import { badUsage, type Command, exitCode } from "./command.ts";

const lookEveryMs = 300;

export const logs: Command = {
  name: "logs",
  usage: "RUN [--shard N | --worker W] [--follow]",
  summary: "Shows what the workers of a run wrote to stdout and stderr.",
  options: {
    shard: { type: "string", value: "N", help: "only of the worker that committed split.N" },
    worker: { type: "string", value: "W", help: "only of this worker" },
    follow: { type: "boolean", short: "f", help: "go on while someone works on the run" },
  },
  examples: ["millrace logs exp/prep", "millrace logs exp/prep --shard 3", "millrace logs exp/prep --follow"],
  arguments: { least: 1, most: 1 },
  async run({ positionals: [runDir], text, has }) {
    const reader = await openStatus(runDir!);
    const paths = runPaths(runDir!);
    const only = text("worker") ?? workerOfShard(paths, text("shard"));
    const shown = new Map<string, number>();
    for (;;) {
      const isRunning = (await reader.read()).state === "running";
      const workers = namesIn(paths.logs)
        .map((name) => name.replace(/\.log$/, ""))
        .sort();
      const wanted = workers.filter((worker) => only === undefined || worker === only);
      for (const worker of wanted) shown.set(worker, showFrom(paths, worker, shown.get(worker)));
      if (!has("follow") || !isRunning) break;
      await sleep(lookEveryMs);
    }
    if (shown.size === 0) process.stderr.write("millrace: no worker has written anything\n");
    return exitCode.ok;
  },
};

function workerOfShard(paths: RunPaths, shard: string | undefined): string | undefined {
  if (shard === undefined) return undefined;
  if (!/^\d+$/.test(shard)) throw badUsage(logs, `--shard is ${JSON.stringify(shard)}; a number was expected`);
  const sight = inspectShard(paths.shard(Number(shard)));
  if (sight.state === "committed") return sight.done.worker;
  throw new MillraceError("SHARD_DAMAGED", `split.${shard} is not committed, so nobody is known to have made it.`, {
    hint: "Leave --shard out to see what all workers wrote.",
  });
}

/** Prints a log from an offset on; answers where it ended. A headline stands above the first part. */
function showFrom(paths: RunPaths, worker: string, from: number | undefined): number {
  const fd = openSync(paths.log(worker), "r");
  try {
    const chunk = Buffer.alloc(1 << 16);
    let at = from ?? 0;
    if (from === undefined) process.stdout.write(`--- ${worker}\n`);
    for (;;) {
      const read = readSync(fd, chunk, 0, chunk.length, at);
      if (read === 0) return at;
      process.stdout.write(Buffer.from(chunk.subarray(0, read)));
      at += read;
    }
  } finally {
    closeSync(fd);
  }
}
