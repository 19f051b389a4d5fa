import { closeSync, fstatSync, lstatSync, openSync, rmSync, type Stats } from "node:fs";
import { join } from "node:path";

/** Who a file belongs to, and who may write to it. */
export type FileOwner = Pick<Stats, "uid" | "gid" | "mode">;

// The kernel shows it for users that it has no number for.
const unknownUser = 65_534;
let probes = 0;

/**
 * Why a file of a run folder is not only the caller's, as the end of a sentence that begins with "it"; undefined where
 * it is. `probeFolder` is for callers that may write: where a file system gives files another owner or mode (root
 * squash, CIFS), a file that is made there tells what the caller's files look like. On Windows, which has no such
 * numbers, every file counts as the caller's.
 */
export function whyNotOwned(file: FileOwner, probeFolder?: string): string | undefined {
  const caller = process.geteuid?.();
  if (caller === undefined) return undefined;
  const isOwned = file.uid === caller && caller !== unknownUser;
  if (isOwned && !mayOthersWrite(file)) return undefined;
  const made = probeFolder === undefined ? undefined : probe(probeFolder);
  if (made?.uid === file.uid && (!mayOthersWrite(file) || mayOthersWrite(made))) return undefined;
  if (isOwned || made?.uid === file.uid)
    return `can be written by others (mode ${(file.mode & 0o777).toString(8)}, which chmod go-w ends)`;
  return `belongs to user ${file.uid}`;
}

/** The user who made a folder's symbolic link, if that is not the caller: the link may lead anywhere. */
export function whoseLink(path: string): number | undefined {
  const file = lstatSync(path, { throwIfNoEntry: false });
  const caller = process.geteuid?.();
  return caller === undefined || !file?.isSymbolicLink() || file.uid === caller ? undefined : file.uid;
}

// A file of the caller's own group may be written by that group: on most systems the caller is alone in it.
function mayOthersWrite({ mode, gid }: FileOwner): boolean {
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getegid?.());
}

/** The owner and mode of a new file of the caller in a folder; undefined where none can be made. */
function probe(folder: string): FileOwner | undefined {
  const path = join(folder, `.owner-${process.pid}-${Math.random().toString(36).slice(2)}-${probes++}`);
  try {
    const fd = openSync(path, "wx", 0o600);
    try {
      return fstatSync(fd);
    } finally {
      closeSync(fd);
      rmSync(path, { force: true });
    }
  } catch {
    return undefined;
  }
}

/** Whether a folder is the caller's. On Windows, which has no such numbers, every folder counts as theirs. */
export function isFolderOwned(path: string): boolean {
  const caller = process.geteuid?.();
  const folder = lstatSync(path, { throwIfNoEntry: false });
  if (folder === undefined || !folder.isDirectory()) return false;
  return caller === undefined || folder.uid === caller;
}
