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
   * Passes on what was written since the last call. `isLive`: whether a worker may still write; `pause`: yields to
   * other work.
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
  quiet: number;
  /** Not a history: it has no lines. Nothing more of it is read. */
  isForeign: boolean;
}

const chunkBytes = 1 << 16;
// The last lines of a worker may appear late on a network file system; after this many reads without new data the file
// counts as complete.
const looksAtTheDead = 3;
// All files are read again at this interval: a worker that was only stopped may continue.
const readsPerRound = 20;
const maxLineBytes = 1 << 20;

/**
 * Opens the histories of a run at their beginning. Files of workers that have left are not read again: there may be
 * thousands.
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
        if (file.quiet >= looksAtTheDead && !isRound && !isLive(worker)) continue;
        const isNew = await follow(file, take, pause);
        file.quiet = isNew || isLive(worker) ? 0 : file.quiet + 1;
      }
    },
  };

  /** The folder changes when a worker ends its first attempt. */
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
          quiet: 0,
          isForeign: false,
        });
    }
    // Clocks of file systems are coarse: a change right after a listing may have the time from before it.
    isSettled = mtimeMs === listedMs;
    listedMs = mtimeMs;
  }

  async function follow(
    file: Followed,
    take: (record: AttemptRecord) => void,
    pause: () => Promise<void>,
  ): Promise<boolean> {
    const size = statSync(file.path, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= file.offset || file.isForeign) return false;
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
        if (file.isForeign) return false;
      }
    } finally {
      closeSync(fd);
    }
  }
}

function takeLines(file: Followed, chunk: Buffer, take: (record: AttemptRecord) => void): void {
  const bytes = Buffer.concat([file.rest, chunk]);
  const end = bytes.lastIndexOf(10) + 1;
  file.isForeign = bytes.length - end > maxLineBytes;
  file.rest = file.isForeign ? Buffer.alloc(0) : Buffer.from(bytes.subarray(end));
  if (end === 0) return;
  for (const line of bytes.toString("utf8", 0, end - 1).split("\n")) {
    const record = line === "" ? undefined : parseAttempt(line);
    if (record !== undefined) take(record);
  }
}
