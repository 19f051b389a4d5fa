import { closeSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isMissing, readIfPresent, storeError } from "./durable-files.ts";
import { shortReason } from "./history.ts";
import { exitNoteName, itemNoteName, releasedNoteName } from "./shard-file-names.ts";

/** The call of `forward` that was running: its first item's position in the shard, and how many items it took. */
export interface ItemNote {
  readonly position: number;
  readonly count: number;
  /** The call had used up its time, this many milliseconds, and the worker was ended for it. */
  readonly stuckMs?: number | undefined;
}

/** How a worker ended that did not say so itself. */
export interface WorkerExit {
  readonly signal?: string | undefined;
  readonly code?: number | undefined;
  /** The error that nobody caught, where it was one. */
  readonly message?: string | undefined;
}

/** How an attempt ended, as its folder tells. */
export interface AttemptEnd {
  /** Its worker gave it back; otherwise the worker died, or was silent for too long. */
  readonly isReleased: boolean;
  /** Why it was given back; undefined where that was not noted. */
  readonly releasedBecause?: string | undefined;
  readonly item: ItemNote | undefined;
  /** Known where someone watched the worker end. */
  readonly exit: WorkerExit | undefined;
}

export interface ItemNotes {
  note(position: number, count: number): void;
  /** No item is running now. */
  clear(): void;
  /** Closes and removes the note. */
  discard(): void;
}

// Written over in place at a fixed length, so that no reader finds half a number of the note before.
const noteLength = 48;
const noItem = -1;

/** Notes each item before it runs: what a worker was at when it died stays on disk. */
export function openItemNotes(attemptDir: string): ItemNotes {
  const path = join(attemptDir, itemNoteName);
  const buffer = Buffer.alloc(noteLength);
  let fd: number | undefined = openSync(path, "w");
  const write = (position: number, count: number) => {
    if (fd === undefined) return;
    buffer.fill(32);
    buffer.write(`${position} ${count}\n`);
    try {
      writeSync(fd, buffer, 0, noteLength, 0);
    } catch (error) {
      throw storeError(error, path);
    }
  };
  return {
    note: write,
    clear: () => write(noItem, 0),
    discard() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
      rmSync(path, { force: true });
    },
  };
}

/** Notes the call that has used up its time; called by who watches the worker, just before ending it. */
export function noteStuck(attemptDir: string, { position, count, stuckMs }: ItemNote): void {
  writeFileSync(join(attemptDir, itemNoteName), `${position} ${count} ${stuckMs}\n`.padEnd(noteLength));
}

/** Notes how the worker of an attempt ended; false where the attempt's folder is not there. */
export function noteExit(attemptDir: string, exit: WorkerExit): boolean {
  try {
    writeFileSync(join(attemptDir, exitNoteName), `${JSON.stringify(exit)}\n`);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Notes that an attempt is given back on purpose, and why. */
export function noteRelease(attemptDir: string, why: string): void {
  writeFileSync(join(attemptDir, releasedNoteName), `${shortReason(why)}\n`);
}

/** Reads how an attempt ended from its folder. */
export function readAttemptEnd(attemptDir: string): AttemptEnd {
  const released = readIfPresent(join(attemptDir, releasedNoteName));
  return {
    isReleased: released !== undefined,
    releasedBecause: released?.trim() || undefined,
    item: parseItem(readIfPresent(join(attemptDir, itemNoteName)) ?? ""),
    exit: parseExit(readIfPresent(join(attemptDir, exitNoteName)) ?? ""),
  };
}

/** How a worker ended, in words. */
export function describeExit(exit: WorkerExit | undefined): string {
  if (exit === undefined) return "vanished";
  const why = exit.message === undefined ? "" : ` (${exit.message})`;
  if (exit.signal !== undefined) return `was ended by ${exit.signal}${why}`;
  return `exited with code ${exit.code ?? "unknown"}${why}`;
}

function parseItem(text: string): ItemNote | undefined {
  const [position, count, stuckMs] = text
    .split(/\s+/)
    .filter((part) => part !== "")
    .map(Number);
  if (position === undefined || count === undefined || !(position >= 0) || !(count > 0)) return undefined;
  return { position, count, stuckMs };
}

function parseExit(text: string): WorkerExit | undefined {
  try {
    return JSON.parse(text) as WorkerExit;
  } catch {
    return undefined;
  }
}
