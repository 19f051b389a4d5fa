import { constants, copyFileSync, fstatSync, readFileSync } from "node:fs";
import { dirname, normalize, sep } from "node:path";
import { errnoOf, MillraceError } from "../../errors/errors.ts";
import { createFile, isOneFile, isWithoutLinks } from "./create-file.ts";
import { type AtomicWrite, moveOver, writeFileAtomic } from "./durable-files.ts";
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

// Whatever is written, moved or removed below a run folder passes through here. A path must stay inside of the folder
// by its text, and no folder in it may be a symbolic link: other users may be able to write to the run. The run folder
// itself may be reached through links.
//
// What this promises: a link that is there when the call begins is never followed. Node.js has no calls that are
// relative to an open folder, so an attacker who replaces a folder by a link between the
// check and the call can win that race. Claims and commits, of which there may be thousands a second, remember for a
// moment which folders they have checked.

const rememberedMs = 100;
const maxRemembered = 100;
const sound = new Map<string, { readonly root: string; readonly atMs: number }>();

/** The path, if it stays inside of the run folder `root`; an error that says why not otherwise. */
export function insideRun(root: string, path: string): string {
  const end = path.lastIndexOf(sep);
  const folder = path.slice(0, end);
  const name = path.slice(end + 1);
  if (name === "" || name === "." || name === ".." || path.includes("\0")) throw leaves(root, path);
  if (folder !== root && checkFolder(root, folder)) remember(root, folder);
  return path;
}

/** The same for claims and commits: the folder may have been checked a moment ago. */
function insideRunLately(root: string, path: string): string {
  const end = path.lastIndexOf(sep);
  const known = sound.get(path.slice(0, end));
  const isKnown = known?.root === root && performance.now() - known.atMs < rememberedMs;
  // The name itself is checked again.
  return isKnown && /^[\w-][\w.-]*$/.test(path.slice(end + 1)) ? path : insideRun(root, path);
}

function remember(root: string, folder: string): void {
  if (sound.size >= maxRemembered) sound.clear();
  sound.set(folder, { root, atMs: performance.now() });
}

/** Returns whether the folder exists. */
function checkFolder(root: string, folder: string): boolean {
  const below = root.endsWith(sep) ? root : root + sep;
  if (`${folder}${sep}` === below) return true;
  if (!folder.startsWith(below) || normalize(folder) !== folder) throw leaves(root, folder);
  let at = root.endsWith(sep) ? root.slice(0, -1) : root;
  for (const name of folder.slice(below.length).split(sep)) {
    at += sep + name;
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined) return false;
    if (stat.isSymbolicLink()) throw isLink(at);
  }
  return true;
}

function leaves(root: string, path: string): MillraceError {
  return new MillraceError("RUN_DAMAGED", `${JSON.stringify(path)} is not inside of the run folder ${root}.`, {
    hint: "A file of the run holds a name that no run writes: it was changed. Nothing outside of the run was touched.",
  });
}

function isLink(path: string): MillraceError {
  return new MillraceError("RUN_DAMAGED", `${path} is a symbolic link: nothing is written or removed behind it.`, {
    hint: "Put a real folder there instead (move what it leads to there), or remove the link. The run folder itself may be a link.",
  });
}

/** Puts a whole file in place at once. */
export function replaceInRun(root: string, path: string, content: string | Uint8Array, how: AtomicWrite = {}): void {
  writeFileAtomic(insideRun(root, path), content, how);
}

/** Puts a whole file in place unless one exists. Returns whether this call did. */
export function createInRun(root: string, path: string, content: string | Uint8Array): boolean {
  return createFile(insideRun(root, path), content);
}

/** Writes a file that is not there yet. EEXIST where one is, a link that leads nowhere included. */
export function writeNewInRun(root: string, path: string, content: string): void {
  writeFileSync(insideRun(root, path), content, { flag: "wx" });
}

/** Replaces a small file by a new one: hard links to the old one keep its content. */
export function rewriteInRun(root: string, path: string, content: string): void {
  makeAnewInRun(root, path, () => writeFileSync(path, content, { flag: "wx" }));
}

/** Opens a new file for writing in place of an existing one, which may be a link. */
export function openNewInRun(root: string, path: string): number {
  return makeAnewInRun(root, path, () => openSync(path, "wx"));
}

// Two processes may write the same note at the same time: each removes what the other has just made.
const maxTries = 10;

/** Removes an existing file of the name, and makes a new one. */
function makeAnewInRun<Made>(root: string, path: string, make: () => Made): Made {
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

/** Opens a file to add to it: a plain file with one name, made where it is not there. */
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

/** Opens a file to write over it in place. ENOENT where it is not there, ELOOP where it is a link. */
export function openToRewriteInRun(root: string, path: string): number {
  return openSync(insideRun(root, path), constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

/** Makes a folder below the run folder, with those above it. */
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
    if (stat?.isSymbolicLink()) throw isLink(path);
    if (stat !== undefined && !stat.isDirectory()) throw error;
  }
}

/** Makes one folder; an error with EEXIST where anything has its name. */
export function makeOneInRun(root: string, path: string): void {
  mkdirSync(insideRunLately(root, path));
}

/** Moves a file or folder. A link is moved itself, never what it leads to. */
export function moveInRun(root: string, from: string, to: string): void {
  renameSync(insideRunLately(root, from), insideRunLately(root, to));
}

/** Puts a file of a name that only this process uses in the place of another one. */
export function replaceByFileInRun(root: string, temporary: string, path: string): void {
  moveOver(insideRunLately(root, temporary), insideRunLately(root, path));
}

/** A hard link to a file, in place of an existing file; a copy where the file system has no such links. */
export function linkInRun(root: string, from: string, to: string): void {
  insideRunLately(root, from);
  insideRunLately(root, to);
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

/** Copies a file to a name that is free. */
export function copyInRun(root: string, from: string, to: string): void {
  copyFileSync(from, insideRun(root, to), constants.COPYFILE_EXCL);
}

/** Removes a file, if it is there; what has its name and is a folder stays. */
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

/** Removes a file or a folder with all that is in it. A link is removed itself, never what it leads to. */
export function removeFromRun(root: string, path: string): void {
  insideRunLately(root, path);
  // Nearly always it is one file, a lease; a stat before would double the cost of a small commit.
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isMissing(error)) rmSync(insideRun(root, path), { recursive: true, force: true });
  }
}
