import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { shellWord } from "../shared/shell-word.ts";
import { sleep } from "../shared/sleep.ts";
import { driverLogName } from "../store/log-names.ts";
import { type RunPaths, runPaths } from "../store/run-paths.ts";
import { namesIn } from "../store/scan-shards.ts";
import { lookAt } from "../store/take-file-step.ts";
import { parseReport } from "../store/worker-report.ts";
import { exitCode } from "./command.ts";
import { printJson } from "./status.ts";

const lookEveryMs = 50;

interface Detached {
  readonly runDir: string;
  /** The command to be carried out, with its arguments. */
  readonly words: readonly string[];
  /** Whether the process is itself the run's one worker. */
  readonly isWorker: boolean;
  readonly asJson: boolean;
}

/** Starts a command of millrace in the background, and waits until its run is on its way or has ended. */
export async function detach({ runDir, words, isWorker, asJson }: Detached): Promise<number> {
  const paths = runPaths(runDir);
  const made = mkdirSync(paths.root, { recursive: true });
  // Beside the machinery at first: --restart removes all of that.
  const early = paths.output(`driver-${process.pid}.log`);
  const fd = openSync(early, "a");
  const args = [...process.execArgv, process.argv[1]!, ...words];
  const child = spawn(process.execPath, args, { detached: true, stdio: ["ignore", fd, fd] });
  closeSync(fd);
  const ended = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? exitCode.failed));
  });
  const start = await firstOf(ended, () => workerOf(paths, child.pid));
  const text = readFileSync(early, "utf8");
  if (existsSync(paths.manifest)) {
    mkdirSync(paths.logs, { recursive: true });
    renameSync(early, paths.log(driverLogName(typeof start === "string" ? start : String(child.pid), { isWorker })));
  } else discard(early, made);
  if (typeof start === "number" && start !== exitCode.ok && start !== exitCode.incomplete) {
    process.stderr.write(`${text}millrace: the run in the background has ended with exit code ${start}\n`);
    return start;
  }
  child.unref();
  if (asJson) printJson({ runDir, pid: child.pid });
  else process.stdout.write(`${runDir}\n`);
  process.stderr.write(
    `millrace: process ${child.pid} runs it; millrace attach ${shellWord(runDir)} shows how it goes\n`,
  );
  return exitCode.ok;
}

/** The exit code of a process that has ended, or what is found while it lives. */
async function firstOf<T>(ended: Promise<number>, find: () => T | undefined): Promise<number | T> {
  for (;;) {
    const first = (await Promise.race([ended, sleep(lookEveryMs)])) ?? find();
    if (first !== undefined) return first;
  }
}

/** The name that a process has in the run's folder, once it is at work there. */
function workerOf(paths: RunPaths, pid: number | undefined): string | undefined {
  for (const name of namesIn(paths.workers)) {
    const sight = lookAt(paths.worker(name.replace(/\.json$/, "")), Date.now);
    const report = sight === undefined ? undefined : parseReport(sight.text);
    if (report !== undefined && report.pid === pid) return report.worker;
  }
  return undefined;
}

/** Removes the log, and the folders that were made for it unless something else is in them by now. */
function discard(log: string, made: string | undefined): void {
  rmSync(log, { force: true });
  if (made === undefined) return;
  try {
    for (let folder = dirname(log); folder.startsWith(made); folder = dirname(folder)) rmdirSync(folder);
  } catch {
    // It is not empty.
  }
}
