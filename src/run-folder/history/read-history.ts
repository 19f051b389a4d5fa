import { readSync } from "node:fs";
import { openFileToRead } from "../files/durable-files.ts";
import type { RunPaths } from "../files/run-paths.ts";
import { closeSync, statSync } from "../files/store-calls.ts";
import { isMissing } from "../files/store-trouble.ts";
import { namesIn } from "../run/scan-shards.ts";
import { type AttemptRecord, parseAttempt } from "./history.ts";

/** Follows the histories of all workers of a run. */
export interface HistoryTail {
  /**
   * Passes the records that were written since the last call to `take`. `isLive`: whether a worker may still write;
   * `pause`: yields to other work.
   */
  read(
    take: (record: AttemptRecord) => void,
    isLive: (worker: string) => boolean,
    pause: () => Promise<void>,
  ): Promise<void>;
}

interface Followed {
  readonly path: string;
  offset: number;
  /** The incomplete line at the end of the file. */
  rest: Buffer;
  /** Consecutive reads without new data after its worker was gone. */
  idleReads: number;
  /** Not a history: it has no lines. It is not read any further. */
  isInvalid: boolean;
}

const chunkBytes = 1 << 16;
// On a network file system the last lines of a worker may appear late. After this many reads without new data the file
// counts as complete.
const readsAfterExit = 3;
// Every this many reads, all files are read: a worker that was only paused may continue.
const readsPerRound = 20;
const maxLineBytes = 1 << 20;

/**
 * Opens the histories of a run at their beginning. Files of workers that have left are read only once in a while: there
 * may be thousands.
 */
export function openHistoryTail(paths: RunPaths): HistoryTail {
  const files = new Map<string, Followed>();
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let listedMs = Number.NaN;
  let isSettled = false;
  let reads = 0;
  return {
    async read(take, isLive, pause) {
      const isRound = reads++ % readsPerRound === 0;
      list(isRound);
      for (const [worker, file] of files) {
        if (file.idleReads >= readsAfterExit && !isRound && !isLive(worker)) continue;
        const isNew = await follow(file, take, pause);
        file.idleReads = isNew || isLive(worker) ? 0 : file.idleReads + 1;
      }
    },
  };

  /** Lists the files again if the folder has changed, as it does when a worker ends its first attempt. */
  function list(isRound: boolean): void {
    const { mtimeMs } = statSync(paths.historyFolder, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs === undefined || (mtimeMs === listedMs && isSettled && !isRound)) return;
    for (const name of namesIn(paths.historyFolder)) {
      const [, worker] = /^(.+)\.jsonl$/.exec(name) ?? [];
      if (worker !== undefined && !files.has(worker))
        files.set(worker, {
          path: paths.history(worker),
          offset: 0,
          rest: Buffer.alloc(0),
          idleReads: 0,
          isInvalid: false,
        });
    }
    // Clocks of file systems are coarse: a change right after a listing may leave the time of the folder as it was.
    isSettled = mtimeMs === listedMs;
    listedMs = mtimeMs;
  }

  async function follow(
    file: Followed,
    take: (record: AttemptRecord) => void,
    pause: () => Promise<void>,
  ): Promise<boolean> {
    const size = statSync(file.path, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= file.offset || file.isInvalid) return false;
    let fd: number;
    try {
      fd = openFileToRead(file.path);
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
    try {
      for (let isFirst = true; ; isFirst = false) {
        if (!isFirst) await pause();
        const read = readSync(fd, chunk, 0, chunk.length, file.offset);
        if (read === 0) return true;
        file.offset += read;
        takeLines(file, chunk.subarray(0, read), take);
        if (file.isInvalid) return false;
      }
    } finally {
      closeSync(fd);
    }
  }
}

function takeLines(file: Followed, chunk: Buffer, take: (record: AttemptRecord) => void): void {
  const bytes = Buffer.concat([file.rest, chunk]);
  const end = bytes.lastIndexOf(10) + 1;
  file.isInvalid = bytes.length - end > maxLineBytes;
  file.rest = file.isInvalid ? Buffer.alloc(0) : Buffer.from(bytes.subarray(end));
  if (end === 0) return;
  for (const line of bytes.toString("utf8", 0, end - 1).split("\n")) {
    const record = line === "" ? undefined : parseAttempt(line);
    if (record !== undefined) take(record);
  }
}
