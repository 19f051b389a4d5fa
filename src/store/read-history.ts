import { closeSync, openSync, readSync, statSync } from "node:fs";
import { isMissing } from "./durable-files.ts";
import { type AttemptRecord, parseAttempt } from "./history.ts";
import type { RunPaths } from "./run-paths.ts";
import { namesIn } from "./scan-shards.ts";

/** Follows the histories of all workers of a run. */
export interface HistoryTail {
  /** Hands over what was written since. `isLive` says whether a worker may still write; `pause` lets others have a turn. */
  read(
    take: (record: AttemptRecord) => void,
    isLive: (worker: string) => boolean,
    pause: () => Promise<void>,
  ): Promise<void>;
}

interface Followed {
  readonly path: string;
  offset: number;
  /** The piece of a line at the end, which may be torn or go on. */
  rest: Buffer;
  /** How often in a row it had nothing new although its worker was gone. */
  quiet: number;
}

const chunkBytes = 1 << 16;
// What a worker wrote last may be seen late on a network file system; after so many looks at nothing it has ended.
const looksAtTheDead = 3;
// Everything is looked at again now and then: a worker that was only stopped goes on.
const readsPerRound = 20;
const maxLineBytes = 1 << 20;

/** Opens the histories of a run at their beginning. Of workers that have left nothing is asked any more: there may be thousands. */
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
        files.set(worker, { path: paths.history(worker), offset: 0, rest: Buffer.alloc(0), quiet: 0 });
    }
    // Clocks of file systems tick slowly: what came right after a listing may bear the time from before it.
    isSettled = mtimeMs === listedMs;
    listedMs = mtimeMs;
  }

  async function follow(
    file: Followed,
    take: (record: AttemptRecord) => void,
    pause: () => Promise<void>,
  ): Promise<boolean> {
    const size = statSync(file.path, { throwIfNoEntry: false })?.size ?? 0;
    if (size <= file.offset) return false;
    let fd: number;
    try {
      fd = openSync(file.path, "r");
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
      }
    } finally {
      closeSync(fd);
    }
  }
}

function takeLines(file: Followed, chunk: Buffer, take: (record: AttemptRecord) => void): void {
  const bytes = Buffer.concat([file.rest, chunk]);
  const end = bytes.lastIndexOf(10) + 1;
  // A line without an end is no line of a history.
  file.rest = bytes.length - end > maxLineBytes ? Buffer.alloc(0) : Buffer.from(bytes.subarray(end));
  if (end === 0) return;
  for (const line of bytes.toString("utf8", 0, end - 1).split("\n")) {
    const record = line === "" ? undefined : parseAttempt(line);
    if (record !== undefined) take(record);
  }
}
