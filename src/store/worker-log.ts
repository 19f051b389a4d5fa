import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { messageOf } from "../shared/errors.ts";
import { runPaths } from "./run-paths.ts";

/** Keeps what a worker writes. */
export interface WorkerLog {
  write(chunk: Uint8Array): void;
  close(): void;
}

/** Opens the log of a worker. The file appears with the first thing the worker says. */
export function openWorkerLog(runDir: string, worker: string): WorkerLog {
  const paths = runPaths(runDir);
  let fd: number | undefined;
  let isUsable = true;
  return {
    write(chunk) {
      if (!isUsable) return;
      try {
        if (fd === undefined) mkdirSync(paths.logs, { recursive: true });
        fd ??= openSync(paths.log(worker), "a");
        // One call may write a part only.
        for (let done = 0; done < chunk.length; ) done += writeSync(fd, chunk, done);
      } catch (error) {
        // On a full disk the worker goes on without its log, and what it prints is still shown.
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
