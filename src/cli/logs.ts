import { closeSync, readSync } from "node:fs";
import { MillraceError } from "../errors/errors.ts";
import { isFromBackground, isLogOf, ownerOfLog, repeatsOtherLogs } from "../run-folder/files/log-names.ts";
import { openLog } from "../run-folder/files/open-log.ts";
import { type RunPaths, runPaths } from "../run-folder/files/run-paths.ts";
import { requireManifest } from "../run-folder/run/manifest.ts";
import { isUnderWay } from "../run-folder/run/run-state.ts";
import { openStatus } from "../run-folder/run/run-status.ts";
import { inspectShard } from "../run-folder/shard/done.ts";
import { sleep } from "../runtime/sleep.ts";
import { readable } from "../text/readable.ts";
import { badUsage, type Command, type CommandInput, exitCode, refuseBoth } from "./command.ts";
import { type LogFile, logFiles } from "./log-files.ts";

const pollEveryMs = 300;

export const logs: Command = {
  name: "logs",
  usage: "RUN [--shard N | --worker W | --driver] [--follow]",
  summary: "Shows what the workers of a run wrote to stdout and stderr.",
  options: {
    shard: { type: "string", value: "N", help: "only of the worker that committed split.N" },
    worker: { type: "string", value: "W", help: "only of this worker; the name of the worker is above each part" },
    driver: { type: "boolean", help: "the progress of a run in the background, and how it ended" },
    follow: { type: "boolean", short: "f", help: "continue while the run is running" },
  },
  examples: ["millrace logs exp/prep", "millrace logs exp/prep --shard 3", "millrace logs exp/prep --follow"],
  arguments: { min: 1, max: 1 },
  async run(input) {
    for (const [one, other] of [
      ["shard", "worker"],
      ["shard", "driver"],
      ["worker", "driver"],
    ] as const)
      refuseBoth(logs, input, one, other);
    const [runDir] = input.positionals as [string];
    const reader = await openStatus(runDir);
    const paths = runPaths(runDir);
    const isWanted = chooseLogs(paths, input);
    const printer = openPrinter();
    // Reads again after the end: the last lines may have been written after the last read.
    for (let isRunning = input.has("follow"); ; await sleep(pollEveryMs)) {
      for (const file of logFiles(paths)) if (isWanted(file.name)) printer.show(file);
      if (!isRunning) break;
      isRunning = isUnderWay((await reader.read()).state);
    }
    if (!printer.hasShown()) process.stderr.write(`millrace: ${whyNothing(paths, input)}\n`);
    return exitCode.ok;
  },
};

function chooseLogs(paths: RunPaths, { text, has }: CommandInput): (name: string) => boolean {
  if (has("driver")) return isFromBackground;
  const worker = text("worker") ?? workerOfShard(paths, text("shard"));
  if (worker === undefined) return (name) => !repeatsOtherLogs(name);
  return (name) => isLogOf(name, worker) || (has("worker") && name === worker);
}

function workerOfShard(paths: RunPaths, shard: string | undefined): string | undefined {
  if (shard === undefined) return undefined;
  if (!/^\d+$/.test(shard)) throw badUsage(logs, `--shard is ${JSON.stringify(shard)}; a number was expected`);
  const inspection = inspectShard(paths.shard(Number(shard)));
  if (inspection.state === "committed") return inspection.done.worker;
  const last = requireManifest(paths).plan.shardCount - 1;
  if (Number(shard) > last) throw badUsage(logs, `--shard is ${shard}; the shards of this run are 0 to ${last}`);
  const [code, why] =
    inspection.state === "damaged"
      ? (["SHARD_DAMAGED", `split.${shard} is damaged: ${inspection.reason}`] as const)
      : (["RUN_STOPPED", `split.${shard} is not committed, so its worker is not known`] as const);
  throw new MillraceError(code, `${why}.`, { hint: "Leave --shard out to see what all workers wrote." });
}

function whyNothing(paths: RunPaths, { text, has }: CommandInput): string {
  if (has("driver"))
    return "there is no log of a driver: the run was not started in the background (--detach), or its logs were removed (gc --logs)";
  const names = logFiles(paths).map(({ name }) => readable(name));
  if (names.length === 0) return "there are no logs: no worker has written anything, or they were removed (gc --logs)";
  if (names.every(repeatsOtherLogs)) return "no worker has written anything; --driver shows what the driver wrote";
  return `${text("worker") ?? "the worker of that shard"} has written nothing; there are logs of ${names.join(", ")}`;
}

/** Prints logs as they grow, with a headline whenever the worker changes. */
function openPrinter(): { show(file: LogFile): void; hasShown(): boolean } {
  const ends = new Map<string, number>();
  const refused = new Set<string>();
  let last: string | undefined;
  return {
    show({ name, path }) {
      const opened = openLog(path);
      // The file was removed.
      if (opened === undefined) return;
      if ("refused" in opened) {
        if (!refused.has(path))
          process.stderr.write(`millrace: ${readable(path)} ${opened.refused}: it is not shown\n`);
        refused.add(path);
        return;
      }
      ends.set(
        path,
        copyFrom(opened.fd, ends.get(path) ?? 0, (chunk) => {
          if (last !== name) process.stdout.write(`--- ${readable(ownerOfLog(name))}\n`);
          last = name;
          process.stdout.write(chunk);
        }),
      );
    },
    hasShown: () => last !== undefined || refused.size > 0,
  };
}

/** Prints an open file from an offset on and closes it. Returns the offset of its end. */
function copyFrom(fd: number, from: number, take: (chunk: Uint8Array) => void): number {
  try {
    const chunk = Buffer.alloc(1 << 16);
    let at = from;
    for (;;) {
      const read = readSync(fd, chunk, 0, chunk.length, at);
      if (read === 0) return at;
      take(Buffer.from(chunk.subarray(0, read)));
      at += read;
    }
  } finally {
    closeSync(fd);
  }
}
