import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { errnoOf, MillraceError, messageOf } from "../../errors/errors.ts";
import { openRegularFile } from "../../input/open-regular-file.ts";
import { syncSoon } from "./group-sync.ts";

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
    } finally {
      closeSync(fd);
    }
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

/** Replaces a file atomically by one that `make` writes under a temporary name in the same folder. */
export function replaceAtomic(path: string, make: (temporary: string) => void): void {
  const temporary = temporaryName(path);
  try {
    make(temporary);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Creates a file atomically unless it exists. Returns whether this call created it. Does not wait for the disk: the file is flushed before anything that is made in the folder later.
 */
export function createFile(path: string, content: string | Uint8Array): boolean {
  const temporary = temporaryName(path);
  try {
    writeFileSync(temporary, content, { flag: "wx" });
    linkOrWrite(temporary, path, content);
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
  syncSoon([path, dirname(path)]);
  return true;
}

// Without hard links the file is written under its final name: a reader may then find it incomplete.
function linkOrWrite(temporary: string, path: string, content: string | Uint8Array): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(errnoOf(error) ?? "")) throw error;
    writeFileSync(path, content, { flag: "wx" });
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

/** The text of a file, or undefined where there is none. */
export function readIfPresent(path: string): string | undefined {
  return readBytesIfPresent(path, maxTextBytes)?.toString("utf8");
}

/** The bytes of a file, or undefined if there is none. Throws if it is not a regular file: reading a pipe might never end.
 */
export function readBytesIfPresent(path: string, limitBytes: number = maxBytes): Buffer | undefined {
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
}

/** Opens a regular file for reading. Throws for anything else: reading from a pipe or a device might never end. */
export function openFileToRead(path: string): number {
  try {
    return openRegularFile(path).fd;
  } catch (error) {
    if (errnoOf(error) !== undefined) throw error;
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

/** Whether a failed call only means that the file does not exist. */
export function isMissing(error: unknown): boolean {
  const code = errnoOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** Turns a failed system call into an error that names the file and what to do. Returns other errors unchanged. */
export function storeError(error: unknown, path?: string): unknown {
  const code = errnoOf(error);
  if (code === undefined) return error;
  const where = path ?? (error as { path?: string }).path ?? "the run folder";
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new MillraceError("STORE_FULL", `No space left to write ${where}. Everything committed so far is kept.`, {
      cause: error,
      hint: "Free some space (or raise the quota) and run again: it continues from the last checkpoint.",
    });
  }
  if (code === "EROFS" || code === "EACCES" || code === "EPERM") {
    return new MillraceError("STORE_READ_ONLY", `Not allowed to write ${where} (${code}).`, {
      cause: error,
      hint: "Choose an outputDir that this user may write to, or change the folder's permissions.",
    });
  }
  return new MillraceError("STORE_IO", `The file system failed at ${where}: ${(error as Error).message}`, {
    cause: error,
    hint: "Check the file system, then run again: what is committed is kept.",
  });
}
