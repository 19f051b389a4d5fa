import { constants, fstatSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { errnoOf } from "../../errors/errors.ts";
import { ignoreErrors } from "../../runtime/ignore-errors.ts";
import { isThere, readBytesIfPresent, withTemporary } from "./durable-files.ts";
import { syncSoon } from "./group-sync.ts";
import {
  closeSync,
  closeWritten,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  repeated,
  rmdirSync,
  rmSync,
  sleepNow,
} from "./store-calls.ts";
import { isMissing } from "./store-trouble.ts";

/**
 * Puts a whole file in place unless one is there; says whether it was this call that did. The disk is not waited for:
 * what is made in the folder after it reaches the disk no earlier.
 */
export function createFile(path: string, content: string | Uint8Array): boolean {
  const made = withTemporary(path, (temporary) => {
    writeNew(temporary, content);
    try {
      return linkNew(temporary, path);
    } finally {
      // A name of this process alone: left behind, it harms nothing.
      ignoreErrors(() => rmSync(temporary, { force: true }));
    }
  });
  const isMade = made === "no links" ? createWithoutLinks(path, content) : made === "made";
  if (isMade) syncSoon([path, dirname(path)]);
  return isMade;
}

function writeNew(path: string, content: string | Uint8Array): void {
  const fd = openSync(path, "wx");
  try {
    writeFileSync(fd, content);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeWritten(fd);
}

/** What file systems answer that have no hard links, or none between two folders. */
const noLinks: ReadonlySet<string> = new Set([
  "EINVAL",
  "EIO",
  "EMLINK",
  "ENOSYS",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EPERM",
  "EXDEV",
]);

/** Whether a failed call of `link` means that this file cannot have the other name. */
export function isWithoutLinks(error: unknown): boolean {
  return noLinks.has(errnoOf(error) ?? "");
}

function linkNew(temporary: string, path: string): "made" | "exists" | "no links" {
  try {
    linkSync(temporary, path);
    return "made";
  } catch (error) {
    // The answer of a first try may have been lost: then the file that is there is this one.
    if (errnoOf(error) === "EEXIST") return isLinked(temporary, path) ? "made" : "exists";
    if (!isWithoutLinks(error)) throw error;
    return isLinked(temporary, path) ? "made" : "no links";
  }
}

/** Whether a file of a name that only this process uses has another name by now. */
function isLinked(own: string, path: string): boolean {
  return (statOpened(own)?.nlink ?? 0) > 1 || isOneFile(own, path);
}

/** Whether two names are of one file. Both are opened, because the attributes of a path may be cached. */
export function isOneFile(path: string, other: string): boolean {
  const [one, two] = [statOpened(path), statOpened(other)];
  return one !== undefined && two !== undefined && one.ino === two.ino && one.dev === two.dev && one.ino !== 0;
}

function statOpened(path: string): ReturnType<typeof fstatSync> | undefined {
  return repeated(path, () => {
    let fd: number;
    try {
      fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    try {
      return fstatSync(fd);
    } finally {
      closeSync(fd);
    }
  });
}

// A process that makes a file takes milliseconds.
const abandonedMs = 10_000;
const lookEveryMs = 50;
const maker = Math.random().toString(36).slice(2);
let files = 0;

/**
 * The same without hard links. Several processes may try, and any of them may be killed or stopped at any moment. The
 * right to make the file is a folder with the whole file in it, which gets the name `….making`: a folder is never moved
 * onto one that is not empty. Making the file is moving it out of that folder, and taking the right away is moving that
 * folder aside. Both begin with the same name, so only one of them succeeds: a process that wakes up late moves nothing.
 */
function createWithoutLinks(path: string, content: string | Uint8Array): boolean {
  const making = `${path}.making`;
  const own = `${maker}-${files++}`;
  const folder = `${path}.${own}.tmp`;
  try {
    for (;;) {
      if (isThere(path)) return false;
      if (!takeRight(making, { folder, own, content })) waitForOther(path, making, folder);
      // The process that had the right before has made the file by now, or never will.
      else if (isThere(path)) return false;
      else if (moveOut(join(making, own), path, content)) return true;
    }
  } finally {
    for (const place of [folder, making])
      ignoreErrors(() => {
        rmSync(join(place, own), { force: true });
        // Not another process's: that one is not empty.
        rmdirSync(place);
      });
  }
}

interface OwnFile {
  readonly folder: string;
  readonly own: string;
  readonly content: string | Uint8Array;
}

function takeRight(making: string, { folder, own, content }: OwnFile): boolean {
  ignoreErrors(() => mkdirSync(folder));
  if (!isThere(join(folder, own))) repeated(folder, () => rewrite(join(folder, own), content));
  try {
    renameSync(folder, making);
    return true;
  } catch (error) {
    if (isMissing(error)) return isThere(join(making, own));
    if (["ENOTEMPTY", "EEXIST", "EISDIR", "ENOTDIR"].includes(errnoOf(error) ?? "")) return false;
    throw error;
  }
}

function rewrite(path: string, content: string | Uint8Array): void {
  const fd = openSync(path, "w");
  try {
    writeFileSync(fd, content);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeWritten(fd);
}

/** False where the right was taken away. */
function moveOut(from: string, path: string, content: string | Uint8Array): boolean {
  try {
    renameSync(from, path);
    return true;
  } catch (error) {
    if (!isMissing(error)) throw error;
    // Moved, and the answer was lost; or the right was lost.
    return readBytesIfPresent(path)?.equals(Buffer.from(content)) === true;
  }
}

/** Waits until the file is there or its maker has been still for so long that the right is taken away. */
function waitForOther(path: string, making: string, folder: string): void {
  const holder = namesIn(making).join();
  const untilMs = performance.now() + abandonedMs;
  while (performance.now() < untilMs) {
    sleepNow(lookEveryMs);
    if (isThere(path) || namesIn(making).join() !== holder) return;
  }
  const aside = `${folder}.aside`;
  try {
    renameSync(making, aside);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  ignoreErrors(() => rmSync(aside, { force: true, recursive: true }));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
