import { closeSync, fstatSync, lstatSync, openSync, rmSync, type Stats } from "node:fs";
import { join } from "node:path";

/** The owner of a file, and who may write to it. */
export type FileOwner = Pick<Stats, "uid" | "gid" | "mode">;

// The kernel shows this number for users that it cannot map.
const unmappedUser = 65_534;
let probes = 0;

/**
 * Why a file of a run folder is not under the sole control of the caller, as the end of a sentence that begins with
 * "it". Undefined if it is. Some file systems change the owner or mode of files (root squash, CIFS): if the caller may
 * write, a probe file in `probeFolder` shows what the caller's files look like there. On Windows, which has no owner
 * numbers, every file counts as the caller's.
 */
export function whyNotOwned(file: FileOwner, probeFolder?: string): string | undefined {
  const caller = process.geteuid?.();
  if (caller === undefined) return undefined;
  const isOwned = file.uid === caller && caller !== unmappedUser;
  if (isOwned && !mayOthersWrite(file)) return undefined;
  const made = probeFolder === undefined ? undefined : probe(probeFolder);
  if (made?.uid === file.uid && (!mayOthersWrite(file) || mayOthersWrite(made))) return undefined;
  if (isOwned || made?.uid === file.uid)
    return `can be written by others (mode ${(file.mode & 0o777).toString(8)}, which chmod go-w ends)`;
  return `belongs to user ${file.uid}`;
}

/** The user who made a symbolic link to a folder, if that is not the caller: such a link may lead anywhere. */
export function whoseLink(path: string): number | undefined {
  const file = lstatSync(path, { throwIfNoEntry: false });
  const caller = process.geteuid?.();
  return caller === undefined || !file?.isSymbolicLink() || file.uid === caller ? undefined : file.uid;
}

// The caller's own group may write: on most systems the caller is its only member.
function mayOthersWrite({ mode, gid }: FileOwner): boolean {
  return (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== process.getegid?.());
}

/** The owner and mode of a new file in a folder. Undefined if none can be made. */
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

/** Whether the caller owns a folder. On Windows, which has no owner numbers, always true. */
export function isFolderOwned(path: string): boolean {
  const caller = process.geteuid?.();
  const folder = lstatSync(path, { throwIfNoEntry: false });
  if (folder === undefined || !folder.isDirectory()) return false;
  return caller === undefined || folder.uid === caller;
}
