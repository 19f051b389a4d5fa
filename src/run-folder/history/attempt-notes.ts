import { writeSync } from "node:fs";
import { join } from "node:path";
import { readIfPresent } from "../files/durable-files.ts";
import { openNewInRun, removeFileInRun, rewriteInRun } from "../files/run-files.ts";
import type { RunPaths } from "../files/run-paths.ts";
import { closeSync, existsSync } from "../files/store-calls.ts";
import { isMissing, storeError } from "../files/store-trouble.ts";
import { exitNoteName, itemNoteName, releasedNoteName, unusedNoteName } from "../shard/shard-file-names.ts";
import { shortReason } from "./history.ts";

/** The call of `forward` that was running: the position of its first item in the shard, and its number of items. */
export interface ItemNote {
  readonly position: number;
  readonly count: number;
  /** The call exceeded its time limit of this many milliseconds, and the worker was ended for it. */
  readonly stuckMs?: number | undefined;
  /** When the call began, in milliseconds since 1970 by the worker's clock. Absent in runs of earlier versions. */
  readonly beganMs?: number | undefined;
  /** Bytes of memory the worker held shortly before. Absent in runs of earlier versions. */
  readonly rss?: number | undefined;
}

/** How a worker ended that sent no final message. */
export interface WorkerExit {
  readonly signal?: string | undefined;
  readonly code?: number | undefined;
  /** The uncaught error, if there was one. */
  readonly message?: string | undefined;
  /** When it ended, in milliseconds since 1970 by the clock of its host. */
  readonly atMs?: number | undefined;
  /** Before that, a signal from outside had asked it to leave. */
  readonly wasWarned?: boolean | undefined;
  /** Which out-of-memory counter of the kernel moved at that moment: that of the worker's cgroup or of the host. */
  readonly outOfMemory?: "cgroup" | "host" | undefined;
  /** The memory that the worker last reported, and its limit. */
  readonly memory?: { readonly rss: number; readonly limit: number } | undefined;
  /** The counts of its supervisor at that time. */
  readonly watched?: Watched | undefined;
}

/** How many workers of a supervisor were ended from outside so far, and the total time that its workers ran. */
export interface Watched {
  readonly supervisor: string;
  readonly outsideEnds: number;
  readonly workerMs: number;
}

/** How an attempt ended, as the notes in its folder say. */
export interface AttemptEnd {
  /** Its worker released it. Otherwise the worker died, or sent no heartbeat for too long. */
  readonly isReleased: boolean;
  /** Why it was released; undefined if that was not noted. */
  readonly releasedBecause?: string | undefined;
  readonly item: ItemNote | undefined;
  /** None of its items ran, while its worker worked on other shards too. */
  readonly isIdle?: boolean | undefined;
  /** Known if a supervisor saw the worker end. */
  readonly exit: WorkerExit | undefined;
}

export interface ItemNotes {
  /** Notes the call that begins now; `rss` is the memory the worker holds. */
  note(position: number, count: number, rss: number): void;
  /** No item is running now. */
  clear(): void;
  /** No item of this shard is running now, but the worker works on others too. */
  idle(): void;
  /** Closes and removes the note. */
  discard(): void;
}

// Overwritten in place at a fixed length, so that no reader finds a part of the previous note.
const noteLength = 80;
const noItem = -1;
const idleItem = -2;
const notStuck = 0;

/** Notes each item before it runs, so that the current item of a dead worker is known. */
export function openItemNotes(attemptDir: string): ItemNotes {
  const path = join(attemptDir, itemNoteName);
  const buffer = Buffer.alloc(noteLength);
  let fd: number | undefined = openNewInRun(attemptDir, path);
  const write = (position: number, count: number, rss: number) => {
    if (fd === undefined) return;
    buffer.fill(32);
    buffer.write(`${position} ${count} ${notStuck} ${Date.now()} ${rss}\n`);
    try {
      writeSync(fd, buffer, 0, noteLength, 0);
    } catch (error) {
      throw storeError(error, path);
    }
  };
  return {
    note: write,
    clear: () => write(noItem, 0, 0),
    idle: () => write(idleItem, 0, 0),
    discard() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
      removeFileInRun(attemptDir, path);
    },
  };
}

/** Notes the call that exceeded its time limit; called just before the worker is ended. */
export function noteStuck(attemptDir: string, { position, count, stuckMs }: ItemNote): void {
  const text = `${position} ${count} ${stuckMs}\n`.padEnd(noteLength);
  rewriteInRun(attemptDir, join(attemptDir, itemNoteName), text);
}

/**
 * Notes how the worker of an attempt ended, in a folder of the run `root`; false if the attempt's folder is not
 * there.
 */
export function noteExit(attemptDir: string, exit: WorkerExit, { root }: Pick<RunPaths, "root">): boolean {
  try {
    rewriteInRun(root, join(attemptDir, exitNoteName), `${JSON.stringify(exit)}\n`);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Notes that an attempt is released, and why. */
export function noteRelease(attemptDir: string, why: string): void {
  rewriteInRun(attemptDir, join(attemptDir, releasedNoteName), `${shortReason(why)}\n`);
}

/** Notes that an attempt was put aside before its worker had begun: its end says nothing about the shard. */
export function noteUnused(attemptDir: string): void {
  rewriteInRun(attemptDir, join(attemptDir, unusedNoteName), "");
}

/** Whether an attempt was put aside before its worker had begun. */
export function isUnused(attemptDir: string): boolean {
  return existsSync(join(attemptDir, unusedNoteName));
}

/** Reads how an attempt ended from its folder. */
export function readAttemptEnd(attemptDir: string): AttemptEnd {
  const released = readIfPresent(join(attemptDir, releasedNoteName));
  const item = readIfPresent(join(attemptDir, itemNoteName)) ?? "";
  return {
    isReleased: released !== undefined,
    releasedBecause: released?.trim() || undefined,
    item: parseItem(item),
    ...(item.startsWith(`${idleItem} `) ? { isIdle: true } : {}),
    exit: parseExit(readIfPresent(join(attemptDir, exitNoteName)) ?? ""),
  };
}

// Signals that a process causes itself: a fault of its code, an abort. Others usually come from outside: from an
// operator, a scheduler, or the kernel if a limit is reached.
const signalsOfFaults = ["SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS"];

// Exit codes of programs that handle SIGHUP, SIGINT or SIGTERM themselves.
const codesOfSignals = [129, 130, 143];

/** Whether a supervisor saw the worker end, so that its signal or exit code is known. */
export function wasSeen(exit: WorkerExit | undefined): exit is WorkerExit {
  return exit?.signal !== undefined || exit?.code !== undefined;
}

/** Whether the code that ran in a worker ended it: it crashed, exited, or used more memory than there was. */
export function isSelfInflicted(exit: WorkerExit | undefined): boolean {
  if (!wasSeen(exit) || exit.wasWarned || codesOfSignals.includes(exit.code ?? 0)) return false;
  return exit.outOfMemory === "cgroup" || exit.signal === undefined || signalsOfFaults.includes(exit.signal);
}

/** How a worker ended, in words. */
export function describeExit(exit: WorkerExit | undefined): string {
  if (!wasSeen(exit)) return "vanished";
  const memory = exit.outOfMemory === undefined ? undefined : "out of memory";
  const reasons = [exit.message, memory].filter((reason) => reason !== undefined);
  const why = reasons.length === 0 ? "" : ` (${reasons.join(", ")})`;
  if (exit.signal !== undefined) return `was ended by ${exit.signal}${why}`;
  return `exited with code ${exit.code ?? "unknown"}${why}`;
}

function parseItem(text: string): ItemNote | undefined {
  const [position, count, stuckMs, beganMs, rss] = text
    .split(/\s+/)
    .filter((part) => part !== "")
    .map(Number);
  if (position === undefined || count === undefined || !(position >= 0) || !(count > 0)) return undefined;
  return { position, count, stuckMs: stuckMs === notStuck ? undefined : stuckMs, beganMs, rss };
}

function parseExit(text: string): WorkerExit | undefined {
  try {
    const exit = JSON.parse(text) as WorkerExit | null;
    return typeof exit === "object" && exit !== null && isExit(exit) ? exit : undefined;
  } catch {
    return undefined;
  }
}

function isExit({ signal, code, message, atMs, wasWarned, outOfMemory, memory, watched }: WorkerExit): boolean {
  const isMaybe = (value: unknown, type: string) => value === undefined || typeof value === type;
  const areNumbers = (value: object | undefined, names: readonly string[]) =>
    value === undefined ||
    (typeof value === "object" &&
      value !== null &&
      names.every((name) => Number.isFinite((value as Record<string, unknown>)[name])));
  return (
    isMaybe(signal, "string") &&
    isMaybe(code, "number") &&
    isMaybe(message, "string") &&
    isMaybe(atMs, "number") &&
    isMaybe(wasWarned, "boolean") &&
    isMaybe(outOfMemory, "string") &&
    areNumbers(memory, ["rss", "limit"]) &&
    areNumbers(watched, ["outsideEnds", "workerMs"])
  );
}
