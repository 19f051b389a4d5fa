import { constants, fstatSync, realpathSync, type Stats } from "node:fs";
import { sep } from "node:path";
import { errnoOf } from "../../errors/errors.ts";
import type { RunPaths } from "./run-paths.ts";
import { closeSync, openSync } from "./store-calls.ts";
import { isMissing } from "./store-trouble.ts";

/** A log that may be shown, or why it may not. */
export type OpenedLog = { readonly fd: number; readonly stat: Stats } | { readonly refused: string };

/**
 * Opens a log for reading. A user who can write to the run could put a link there to a file that only the reader may
 * read: links are not followed, and a file with a second name is not shown. Undefined where there is none.
 */
export function openLog(path: string): OpenedLog | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return undefined;
    return { refused: errnoOf(error) === "ELOOP" ? "is a symbolic link" : `cannot be read (${errnoOf(error)})` };
  }
  const stat = fstatSync(fd);
  const refused = whyNot(stat);
  if (refused === undefined) return { fd, stat };
  closeSync(fd);
  return { refused };
}

/** Why a file is not shown as a log. */
export function whyNot(stat: Stats): string | undefined {
  if (stat.isSymbolicLink()) return "is a symbolic link";
  if (!stat.isFile()) return "is not a file";
  if (stat.nlink > 1) return "is a second name of another file (a hard link)";
  return isMostlyHole(stat) ? `is almost empty for its length (${stat.size} bytes, most of them a hole)` : undefined;
}

// A file may announce terabytes without using the disk, and printing them takes hours. File systems that compress use less
// than the length too, but not a thousandth of it.
function isMostlyHole({ size, blocks }: Stats): boolean {
  return size > 2 ** 30 && blocks * 512 * 1000 < size;
}

/** The folder of the logs, unless it is not there or leads out of the run folder. */
export function logFolder({ root, logs }: RunPaths): string | undefined {
  try {
    const folder = realpathSync(logs);
    return folder.startsWith(realpathSync(root) + sep) ? folder : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
