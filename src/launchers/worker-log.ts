import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { runPaths } from "../store/run-paths.ts";

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
        writeSync(fd, chunk);
      } catch {
        // On a full disk the log is the first to go; the worker goes on, and what it says is still shown.
        isUsable = false;
      }
    },
    close() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
      isUsable = false;
    },
  };
}
