import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { dirname } from "node:path";
import { driverLogName } from "../run-folder/files/log-names.ts";
import { makeFolderInRun, moveInRun, openToAppendInRun, removeFileInRun } from "../run-folder/files/run-files.ts";
import { type RunPaths, runPaths } from "../run-folder/files/run-paths.ts";
import { parseReport } from "../run-folder/files/worker-report.ts";
import { readSnapshot } from "../run-folder/lease/take-file-step.ts";
import { namesIn } from "../run-folder/run/scan-shards.ts";
import { sleep } from "../runtime/sleep.ts";
import { shellWord } from "../text/shell-word.ts";
import { exitCode } from "./command.ts";
import { printJson } from "./status.ts";

const pollEveryMs = 50;

interface Detached {
  readonly runDir: string;
  /** The command to run, with its arguments. */
  readonly words: readonly string[];
  /** True if the process itself is the run's only worker. */
  readonly isWorker: boolean;
  readonly asJson: boolean;
}

/** Starts a command in the background. Returns when its run has started or ended. */
export async function detach({ runDir, words, isWorker, asJson }: Detached): Promise<number> {
  const paths = runPaths(runDir);
  const made = mkdirSync(paths.root, { recursive: true });
  // Outside of the internal folder at first, because --restart removes that folder.
  const early = paths.output(`driver-${process.pid}.log`);
  const fd = openToAppendInRun(paths.root, early);
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
    makeFolderInRun(paths.root, paths.logs);
    const name = driverLogName(typeof start === "string" ? start : String(child.pid), { isWorker });
    moveInRun(paths.root, early, paths.log(name));
  } else discard(paths, early, made);
  if (typeof start === "number" && start !== exitCode.ok && start !== exitCode.incomplete) {
    process.stderr.write(`${text}millrace: the run in the background has ended with exit code ${start}\n`);
    return start;
  }
  child.unref();
  if (asJson) printJson({ runDir, pid: child.pid });
  else process.stdout.write(`${runDir}\n`);
  process.stderr.write(
    `millrace: process ${child.pid} runs it; millrace attach ${shellWord(runDir)} shows its progress\n`,
  );
  return exitCode.ok;
}

/** The exit code of a process that has ended, or the first result of `find` while it is alive. */
async function firstOf<T>(ended: Promise<number>, find: () => T | undefined): Promise<number | T> {
  for (;;) {
    const first = (await Promise.race([ended, sleep(pollEveryMs)])) ?? find();
    if (first !== undefined) return first;
  }
}

/** The worker name of a process, when it has a report in the run folder. */
function workerOf(paths: RunPaths, pid: number | undefined): string | undefined {
  for (const name of namesIn(paths.workers)) {
    const snapshot = readSnapshot(paths.worker(name.replace(/\.json$/, "")), Date.now);
    const report = snapshot === undefined ? undefined : parseReport(snapshot.text);
    if (report !== undefined && report.pid === pid) return report.worker;
  }
  return undefined;
}

/** Removes the log, and the folders made for it if they are empty. */
function discard({ root }: RunPaths, log: string, made: string | undefined): void {
  removeFileInRun(root, log);
  if (made === undefined) return;
  try {
    for (let folder = dirname(log); folder.startsWith(made); folder = dirname(folder)) rmdirSync(folder);
  } catch {
    // Not empty.
  }
}
