import { writeSync } from "node:fs";
import { messageOf } from "../../errors/errors.ts";
import { makeFolderInRun, openToAppendInRun } from "./run-files.ts";
import { runPaths } from "./run-paths.ts";
import { closeSync } from "./store-calls.ts";

/** The log of a worker's output. */
export interface WorkerLog {
  write(chunk: Uint8Array): void;
  close(): void;
}

/** Opens the log of a worker. The file appears with the first output. */
export function openWorkerLog(runDir: string, worker: string): WorkerLog {
  const paths = runPaths(runDir);
  let fd: number | undefined;
  let isUsable = true;
  return {
    write(chunk) {
      if (!isUsable) return;
      try {
        if (fd === undefined) makeFolderInRun(paths.root, paths.logs);
        fd ??= openToAppendInRun(paths.root, paths.log(worker));
        // One call may write only a part.
        for (let done = 0; done < chunk.length; ) done += writeSync(fd, chunk, done);
      } catch (error) {
        // On a full disk the worker continues without its log; its output is still shown.
        isUsable = false;
        process.stderr.write(`millrace: the log of worker ${worker} is cut off here: ${messageOf(error)}\n`);
      }
    },
    close() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
      isUsable = false;
    },
  };
}
