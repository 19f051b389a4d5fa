import { constants, copyFileSync, fstatSync, readFileSync } from "node:fs";
import { dirname, normalize, sep } from "node:path";
import { errnoOf, MillraceError } from "../../errors/errors.ts";
import { createFile, isOneFile, isWithoutLinks } from "./create-file.ts";
import { type AtomicWrite, moveOver, writeFileAtomic } from "./durable-files.ts";
import { isSlowFolder } from "./is-slow-folder.ts";
import {
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  repeated,
  rmSync,
  unlinkSync,
  writeFileSync,
} from "./store-calls.ts";
import { isMissing } from "./store-trouble.ts";

// All code that writes, moves or removes something below a run folder calls these functions. A path must be inside of
// the folder by its text, and no folder in it may be a symbolic link: other users may be able to write to the run. The
// path of the run folder itself may contain links.
//
// The guarantee: a link that exists when the call begins is never followed. Node.js has no calls relative to an open
// folder, so an attacker can still replace a folder by a link between the check and the call. Claims and commits, of
// which there may be thousands a second, do not check a folder again for a short time.

const rememberedMs = 100;
// Where the check itself would take that long.
const slowRememberedMs = 1000;
const maxRemembered = 100;
const checkedFolders = new Map<string, { readonly root: string; readonly untilMs: number }>();

/** Returns the path. Throws if it is not inside of the run folder `root`. */
export function insideRun(root: string, path: string): string {
  const end = path.lastIndexOf(sep);
  const folder = path.slice(0, end);
  const name = path.slice(end + 1);
  if (name === "" || name === "." || name === ".." || path.includes("\0")) throw outsideError(root, path);
  if (folder !== root && checkFolder(root, folder)) remember(root, folder);
  return path;
}

/** The same for claims and commits: a folder that was just checked is not checked again. */
function insideRunCached(root: string, path: string): string {
  const end = path.lastIndexOf(sep);
  const known = checkedFolders.get(path.slice(0, end));
  const isKnown = known?.root === root && performance.now() < known.untilMs;
  // The last name in the path is checked each time.
  return isKnown && /^[\w-][\w.-]*$/.test(path.slice(end + 1)) ? path : insideRun(root, path);
}

function remember(root: string, folder: string): void {
  if (checkedFolders.size >= maxRemembered) checkedFolders.clear();
  checkedFolders.set(folder, {
    root,
    untilMs: performance.now() + (isSlowFolder(root) ? slowRememberedMs : rememberedMs),
  });
}

/** Returns whether the folder exists. */
function checkFolder(root: string, folder: string): boolean {
  const below = root.endsWith(sep) ? root : root + sep;
  if (`${folder}${sep}` === below) return true;
  if (!folder.startsWith(below) || normalize(folder) !== folder) throw outsideError(root, folder);
  let at = root.endsWith(sep) ? root.slice(0, -1) : root;
  for (const name of folder.slice(below.length).split(sep)) {
    at += sep + name;
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined) return false;
    if (stat.isSymbolicLink()) throw linkError(at);
  }
  return true;
}

function outsideError(root: string, path: string): MillraceError {
  return new MillraceError("RUN_DAMAGED", `${JSON.stringify(path)} is not inside of the run folder ${root}.`, {
    hint: "A file of the run holds a name that no run writes: it was changed. Nothing outside of the run was touched.",
  });
}

function linkError(path: string): MillraceError {
  return new MillraceError("RUN_DAMAGED", `${path} is a symbolic link: nothing is written or removed behind it.`, {
    hint: "Put a real folder there instead (move what it leads to there), or remove the link. The run folder itself may be a link.",
  });
}

/** Writes a file atomically. */
export function replaceInRun(root: string, path: string, content: string | Uint8Array, how: AtomicWrite = {}): void {
  writeFileAtomic(insideRun(root, path), content, how);
}

/** Creates a file atomically unless it exists. Returns whether this call created it. */
export function createInRun(root: string, path: string, content: string | Uint8Array): boolean {
  return createFile(insideRun(root, path), content);
}

/** Writes a new file. Throws EEXIST if anything has its name, even a broken link. */
export function writeNewInRun(root: string, path: string, content: string): void {
  writeFileSync(insideRun(root, path), content, { flag: "wx" });
}

/** Replaces a small file by a new one: hard links to the old one keep its content. */
export function rewriteInRun(root: string, path: string, content: string): void {
  replaceWithNew(root, path, () => writeFileSync(path, content, { flag: "wx" }));
}

/** Opens a new file for writing. Removes an existing file or link of the name first. */
export function openNewInRun(root: string, path: string): number {
  return replaceWithNew(root, path, () => openSync(path, "wx"));
}

// Two processes may write the same note at the same time, and each remove the file of the other.
const maxTries = 10;

/** Removes an existing file of the name, and makes a new one. */
function replaceWithNew<Made>(root: string, path: string, make: () => Made): Made {
  insideRun(root, path);
  for (let left = maxTries; ; left--) {
    try {
      return make();
    } catch (error) {
      if (errnoOf(error) !== "EEXIST" || left === 0) throw error;
    }
    unlinkIfPresent(path);
  }
}

function unlinkIfPresent(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Opens a file for appending, and creates it if needed. It must be a regular file with one name. */
export function openToAppendInRun(root: string, path: string): number {
  insideRun(root, path);
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  const fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK);
  const stat = fstatSync(fd);
  if (stat.isFile() && stat.nlink <= 1) return fd;
  closeSync(fd);
  throw new MillraceError("RUN_DAMAGED", `${path} is not a regular file with one name: nothing is appended to it.`, {
    hint: "It is a second name of another file, or no file at all. Remove it.",
  });
}

/** Opens an existing file to overwrite it. Throws ENOENT if it does not exist, ELOOP if it is a link. */
export function openToRewriteInRun(root: string, path: string): number {
  return openSync(insideRun(root, path), constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

/** Makes a folder below the run folder, and its parents. */
export function makeFolderInRun(root: string, path: string, triesLeft: number = maxTries): void {
  insideRun(root, path);
  try {
    mkdirSync(path);
  } catch (error) {
    if (isMissing(error) && dirname(path) !== root && triesLeft > 0) {
      makeFolderInRun(root, dirname(path));
      // Another process may have made it meanwhile.
      makeFolderInRun(root, path, triesLeft - 1);
      return;
    }
    if (errnoOf(error) !== "EEXIST") throw error;
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isSymbolicLink()) throw linkError(path);
    if (stat !== undefined && !stat.isDirectory()) throw error;
  }
}

/** Makes a new folder. Throws EEXIST if anything has its name. */
export function makeNewFolderInRun(root: string, path: string): void {
  mkdirSync(insideRunCached(root, path));
}

/** Moves a file or folder. Of a link, the link itself is moved, not its target. */
export function moveInRun(root: string, from: string, to: string): void {
  renameSync(insideRunCached(root, from), insideRunCached(root, to));
}

/** Puts a file of a name that only this process uses in the place of another one. */
export function replaceByFileInRun(root: string, temporary: string, path: string): void {
  moveOver(insideRunCached(root, temporary), insideRunCached(root, path));
}

/** A hard link to a file, in place of an existing file; a copy where the file system has no such links. */
export function linkInRun(root: string, from: string, to: string): void {
  insideRunCached(root, from);
  insideRunCached(root, to);
  for (let left = maxTries; ; left--) {
    try {
      linkSync(from, to);
      return;
    } catch (error) {
      if (isWithoutLinks(error)) {
        copyText(root, from, to);
        return;
      }
      if (errnoOf(error) !== "EEXIST" || left === 0) throw error;
    }
    // It may be the link of a first try whose answer was lost.
    if (isOneFile(to, from)) return;
    unlinkIfPresent(to);
  }
}

/** The copy is a file of its own: the heartbeat renews it beside the first one. */
function copyText(root: string, from: string, to: string): void {
  const text = repeated(from, () => readFileSync(from, "utf8"));
  rewriteInRun(root, to, text);
}

/** Copies a file to a new name. Throws EEXIST if anything has that name. */
export function copyInRun(root: string, from: string, to: string): void {
  copyFileSync(from, insideRun(root, to), constants.COPYFILE_EXCL);
}

/** Removes a file if it exists. Throws if it is a folder. */
export function removeFileInRun(root: string, path: string): void {
  insideRun(root, path);
  try {
    unlinkSync(path);
  } catch (error) {
    if (isMissing(error)) return;
    if (errnoOf(error) !== "EISDIR" && errnoOf(error) !== "EPERM") throw error;
    const isFolder = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (!isFolder) throw error;
    throw new MillraceError("RUN_DAMAGED", `${path} is a folder where the run has a file.`, {
      hint: "Check its content, and remove it.",
      cause: error,
    });
  }
}

/** Removes a file, or a folder with its content. Of a link, the link itself is removed, not its target. */
export function removeFromRun(root: string, path: string): void {
  insideRunCached(root, path);
  // Nearly always it is one file, a lease. A stat first would double the cost of a small commit.
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isMissing(error)) rmSync(insideRun(root, path), { recursive: true, force: true });
  }
}
