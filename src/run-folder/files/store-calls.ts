import * as fs from "node:fs";
import { errnoOf } from "../../errors/errors.ts";
import { isPassing, storeError } from "./store-trouble.ts";

// The calls of Node.js on paths of a run folder. A network file system fails now and then: its server restarts, a
// connection is cut. Calls on paths are repeated until they answer, or for as long as a call may block its caller. What
// fails on an open file is repeated as a whole by the code that opened it (`repeated`): another call on the same descriptor
// would fail again. No call that adds bytes is repeated.
//
// The first try may have succeeded although it failed to say so. So a repeat may find its own work done: EEXIST of what
// it has made, ENOENT of what it has moved or removed. Network file systems repeat calls by themselves and answer in the
// same way. Callers find out by looking at what is there now.

const firstPauseMs = 4;
const longestPauseMs = 400;
// A third of the life of a lease: a driver's thread may renew those of its workers.
const usualPatienceMs = 5000;
let patienceMs = usualPatienceMs;

/** Runs `act` without repeating what fails: for timers, which come again and must not block their thread. */
export function withoutPatience<Result>(act: () => Result): Result {
  const before = patienceMs;
  patienceMs = 0;
  try {
    return act();
  } finally {
    patienceMs = before;
  }
}

/** Runs `act`, which may be repeated as a whole: it opens what it reads, or writes a file that it makes again. */
export function repeated<Result>(path: string, act: () => Result): Result {
  try {
    return act();
  } catch (error) {
    return again(error, path, act);
  }
}

function again<Result>(first: unknown, path: string, act: () => Result): Result {
  let error = first;
  const untilMs = performance.now() + patienceMs;
  for (let pauseMs = firstPauseMs; isPassing(error); pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    if (performance.now() + pauseMs > untilMs) throw storeError(error, path);
    sleepNow(pauseMs * (0.5 + Math.random()));
    try {
      return act();
    } catch (next) {
      error = next;
    }
  }
  throw error;
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Waits, while nothing else runs in this thread. */
export function sleepNow(ms: number): void {
  Atomics.wait(sleeper, 0, 0, ms);
}

export function openSync(path: string, flags: string | number, mode?: number): number {
  try {
    return fs.openSync(path, flags, mode);
  } catch (error) {
    return again(error, path, () => fs.openSync(path, flags, mode));
  }
}

/** Closes a file that was read, or whose content is not needed: what fails then has no consequence. */
export function closeSync(fd: number): void {
  try {
    fs.closeSync(fd);
  } catch (error) {
    if (!isPassing(error)) throw error;
  }
}

/** Closes a file that was written. A file system may write, and fail, only then: the file counts as not written. */
export function closeWritten(fd: number): void {
  try {
    fs.closeSync(fd);
  } catch (error) {
    // On Linux the descriptor is closed nevertheless; nothing was lost by a signal.
    if (errnoOf(error) !== "EINTR") throw error;
  }
}

export function statSync(path: string): fs.Stats;
export function statSync(path: string, options: { readonly throwIfNoEntry: false }): fs.Stats | undefined;
export function statSync(path: string, options?: { readonly throwIfNoEntry: false }): fs.Stats | undefined {
  try {
    return fs.statSync(path, options);
  } catch (error) {
    return again(error, path, () => fs.statSync(path, options));
  }
}

export function lstatSync(path: string): fs.Stats;
export function lstatSync(path: string, options: { readonly throwIfNoEntry: false }): fs.Stats | undefined;
export function lstatSync(path: string, options?: { readonly throwIfNoEntry: false }): fs.Stats | undefined {
  try {
    return fs.lstatSync(path, options);
  } catch (error) {
    return again(error, path, () => fs.lstatSync(path, options));
  }
}

/** Whether a path leads to anything. Unlike existsSync of Node.js it does not take trouble for an absence. */
export function existsSync(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

export function readdirSync(path: string): string[];
export function readdirSync(path: string, options: { readonly withFileTypes: true }): fs.Dirent[];
export function readdirSync(path: string, options?: { readonly withFileTypes: true }): string[] | fs.Dirent[] {
  try {
    return fs.readdirSync(path, options as { withFileTypes: true });
  } catch (error) {
    return again(error, path, () => fs.readdirSync(path, options as { withFileTypes: true }));
  }
}

export function mkdirSync(path: string, options?: { readonly recursive: true }): void {
  try {
    fs.mkdirSync(path, options);
  } catch (error) {
    again(error, path, () => fs.mkdirSync(path, options));
  }
}

export function renameSync(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    again(error, from, () => fs.renameSync(from, to));
  }
}

export function linkSync(from: string, to: string): void {
  try {
    fs.linkSync(from, to);
  } catch (error) {
    // Where there are no hard links, some file systems say EIO: one more try shows it.
    if (errnoOf(error) === "EIO") fs.linkSync(from, to);
    else again(error, to, () => fs.linkSync(from, to));
  }
}

export function unlinkSync(path: string): void {
  try {
    fs.unlinkSync(path);
  } catch (error) {
    again(error, path, () => fs.unlinkSync(path));
  }
}

export function rmdirSync(path: string): void {
  try {
    fs.rmdirSync(path);
  } catch (error) {
    again(error, path, () => fs.rmdirSync(path));
  }
}

export function rmSync(path: string, options: { readonly force: true; readonly recursive?: true }): void {
  try {
    fs.rmSync(path, options);
  } catch (error) {
    again(error, path, () => fs.rmSync(path, options));
  }
}

/** Writes a whole file under a name that is free, or replaces the file; `flag` as for Node.js. */
export function writeFileSync(
  path: string,
  content: string | Uint8Array,
  options: { readonly flag: "w" | "wx" },
): void {
  try {
    fs.writeFileSync(path, content, options);
  } catch (error) {
    again(error, path, () => fs.writeFileSync(path, content, options));
  }
}
