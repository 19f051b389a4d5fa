import {
  closeSync,
  existsSync,
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
import { errnoOf, MillraceError } from "../shared/errors.ts";
import { syncSoon } from "./group-sync.ts";

/** Makes a folder and those above it. Node's own recursive mkdir says ENOENT where the file system is read-only. */
export function makeFolders(path: string): void {
  if (!existsSync(dirname(path))) makeFolders(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST" || !statSync(path).isDirectory()) throw error;
  }
}

// On another host, or in another container, a process may have the same number and write into the same folder.
const writer = Math.random().toString(36).slice(2);
let temporaries = 0;

function temporaryName(path: string): string {
  return `${path}.${writer}-${temporaries++}.tmp`;
}

/** Puts a whole file in place at once: a reader finds the old content or the new, never a part, also after a power cut. */
export function replaceFile(path: string, content: string | Uint8Array): void {
  putInPlace(path, (temporary) => writeSynced(temporary, content));
  syncFolder(dirname(path));
}

/** The same for what can be made anew: a power cut may take it, a kill does not. */
export function replaceFileQuickly(path: string, content: string): void {
  putInPlace(path, (temporary) => writeFileSync(temporary, content));
}

function putInPlace(path: string, writeTo: (temporary: string) => void): void {
  const temporary = temporaryName(path);
  try {
    writeTo(temporary);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Puts a whole file in place unless one is there; says whether it was this call that did. The disk is not waited for:
 * what is made in the folder after it reaches the disk no earlier.
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
  void syncSoon([path, dirname(path)]);
  return true;
}

// A file system without hard links gets a plain exclusive file: a reader may then find it before its last bytes.
function linkOrWrite(temporary: string, path: string, content: string | Uint8Array): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(errnoOf(error) ?? "")) throw error;
    writeFileSync(path, content, { flag: "wx" });
  }
}

function writeSynced(path: string, content: string | Uint8Array): void {
  const fd = openSync(path, "wx");
  try {
    writeFileSync(fd, content);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Makes the names in a folder survive a power cut, where the file system can. */
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

/** The text of a file, or undefined where there is none. */
export function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Writes all of the bytes: one call to the system may take only a part of them. */
export function writeFully(fd: number, bytes: Uint8Array, path: string): void {
  let offset = 0;
  try {
    while (offset < bytes.length) offset += writeSync(fd, bytes, offset);
  } catch (error) {
    throw storeError(error, path);
  }
}

/** Whether a failed call only means that nothing is there. */
export function isMissing(error: unknown): boolean {
  const code = errnoOf(error);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** A failed system call as an error that names the file and what to do; other errors pass as they are. */
export function storeError(error: unknown, path?: string): unknown {
  const code = errnoOf(error);
  if (code === undefined) return error;
  const where = path ?? (error as { path?: string }).path ?? "the run folder";
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new MillraceError("STORE_FULL", `No space left to write ${where}. Everything committed so far is kept.`, {
      cause: error,
      hint: "Free some space (or raise the quota) and run again: it goes on from the last checkpoint.",
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
