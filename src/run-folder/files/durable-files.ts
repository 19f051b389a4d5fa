import { chmodSync, constants, fstatSync, fsyncSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf, isMillraceError, MillraceError, messageOf } from "../../errors/errors.ts";
import { openRegularFile } from "../../input/open-regular-file.ts";
import { ignoreErrors } from "../../runtime/ignore-errors.ts";
import {
  closeSync,
  closeWritten,
  existsSync,
  mkdirSync,
  openSync,
  renameSync,
  repeated,
  rmSync,
  sleepNow,
  statSync,
  unlinkSync,
} from "./store-calls.ts";
import { isMissing, storeError } from "./store-trouble.ts";

/** Makes a folder and its parents. Node's recursive mkdir fails with a misleading ENOENT on a read-only file system. */
export function makeFolders(path: string): void {
  if (!existsSync(dirname(path))) makeFolders(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST" || !statSync(path).isDirectory()) throw error;
  }
}

// Not the pid: on another host, or in another container, a process with the same pid may write to the same folder.
const writer = Math.random().toString(36).slice(2);
let temporaries = 0;

function temporaryName(path: string): string {
  return `${path}.${writer}-${temporaries++}.tmp`;
}

/** How a file is written. */
export interface AtomicWrite {
  /** The file survives a power cut. Otherwise it survives only a kill of this process. */
  readonly isDurable?: boolean | undefined;
  /** The file's mode, independent of the umask. The file never has a wider mode, not even while it is written. */
  readonly mode?: number | undefined;
}

/** Writes a file atomically: a reader finds the old content or the new, never a part. */
export function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  { isDurable = false, mode }: AtomicWrite = {},
): void {
  replaceAtomic(path, (temporary) => {
    const fd = openSync(temporary, "wx", mode);
    try {
      writeFileSync(fd, content);
      if (isDurable) fsyncSync(fd);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    closeWritten(fd);
    if (mode !== undefined) setMode(temporary, mode);
  });
  if (isDurable) syncFolder(dirname(path));
}

// Some file systems (FAT, some FUSE ones) have no modes of files: the mount decides.
function setMode(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(errnoOf(error) ?? "")) throw error;
  }
}

/** Replaces a file atomically by one that `make` writes under a temporary name in the same folder. May call it again. */
export function replaceAtomic(path: string, make: (temporary: string) => void): void {
  withTemporary(path, (temporary) => {
    make(temporary);
    moveOver(temporary, path);
  });
}

// A new name for each try: what failed may have been done nevertheless.
const maxNames = 10;

/** Runs `act` with a name in the folder of `path` that nothing has. It may be called again, with another name. */
export function withTemporary<Result>(path: string, act: (temporary: string) => Result): Result {
  for (let left = maxNames; ; left--) {
    let temporary = "";
    try {
      return repeated(path, () => {
        temporary = temporaryName(path);
        return act(temporary);
      });
    } catch (error) {
      removeQuietly(temporary);
      if (errnoOf(error) !== "EEXIST" || left === 0) throw error;
    }
  }
}

function removeQuietly(temporary: string): void {
  // It is a name of this process alone: left behind, it harms nothing.
  ignoreErrors(() => rmSync(temporary, { force: true }));
}

// Another process, or a program that scans files, may have the target open: some file systems replace it only later.
const replaceTries = 8;
const replacePauseMs = 2;

/** Puts a file of a name that only this process uses in the place of another one. */
export function moveOver(temporary: string, path: string): void {
  for (let left = replaceTries; ; left--) {
    try {
      renameSync(temporary, path);
      return;
    } catch (error) {
      // Only this call moves a file of this name: it was moved, and the answer was lost.
      if (isMissing(error) && !isThere(temporary) && isThere(path)) return;
      if (!["EACCES", "EPERM", "EEXIST"].includes(errnoOf(error) ?? "") || !isThere(path)) throw error;
      if (left === 0) throw error;
      // The last means, where files that are open cannot be replaced: for a moment readers find no file.
      if (left === 1) ignoreErrors(() => unlinkSync(path));
      else sleepNow(replacePauseMs * 2 ** (replaceTries - left));
    }
  }
}

/** Whether a file is there by its server's own word: opening it asks the server, while its attributes may be cached. */
export function isThere(path: string): boolean {
  try {
    // A pipe must not wait for a writer.
    closeSync(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Flushes the names in a folder, so that they survive a power cut, if the file system can. */
function syncFolder(path: string): void {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return;
  }
  try {
    fsyncSync(fd);
  } catch {
    // Some network file systems refuse to sync a folder; they keep its names themselves.
  } finally {
    closeSync(fd);
  }
}

// The longest string of V8 and the largest file that Node.js reads at once. A sparse file may be larger than the disk.
const maxTextBytes = 0x1fffffe8;
const maxBytes = 2 ** 31 - 1;

/** The text of a file, or undefined if there is none. */
export function readIfPresent(path: string): string | undefined {
  return readBytesIfPresent(path, maxTextBytes)?.toString("utf8");
}

/**
 * The bytes of a file, or undefined if there is none. Throws if it is not a regular file: reading a pipe might never end.
 */
export function readBytesIfPresent(path: string, limitBytes: number = maxBytes): Buffer | undefined {
  return repeated(path, () => {
    let fd: number;
    try {
      fd = openFileToRead(path);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    try {
      const { size } = fstatSync(fd);
      if (size <= limitBytes) return readFileSync(fd);
      throw new MillraceError("RUN_DAMAGED", `${path} has ${size} bytes: no run writes a file that large.`, {
        hint: "It was not made by a run. Restore it from a copy, or remove it.",
      });
    } finally {
      closeSync(fd);
    }
  });
}

/** Opens a regular file for reading. Throws for anything else: reading from a pipe or a device might never end. */
export function openFileToRead(path: string): number {
  try {
    return repeated(path, () => openRegularFile(path).fd);
  } catch (error) {
    if (errnoOf(error) !== undefined || isMillraceError(error)) throw error;
    throw new MillraceError("RUN_DAMAGED", `${path} cannot be read: ${messageOf(error)}.`, {
      hint: "Find out what has replaced the file, and remove it.",
    });
  }
}

/** Writes all bytes: one system call may write only a part of them. */
export function writeFully(fd: number, bytes: Uint8Array, path: string): void {
  let offset = 0;
  try {
    while (offset < bytes.length) offset += writeSync(fd, bytes, offset);
  } catch (error) {
    throw storeError(error, path);
  }
}
