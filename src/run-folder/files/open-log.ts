import { constants, fstatSync, realpathSync, type Stats } from "node:fs";
import { sep } from "node:path";
import { errnoOf } from "../../errors/errors.ts";
import type { RunPaths } from "./run-paths.ts";
import { closeSync, openSync } from "./store-calls.ts";
import { isMissing } from "./store-trouble.ts";

/** A log that may be shown, or why it is refused. */
export type OpenedLog = { readonly fd: number; readonly stat: Stats } | { readonly refused: string };

/**
 * Opens a log for reading, or undefined if there is none. Links are not followed and a file with a second name is
 * refused: a user who can write to the run could link to a file that only the reader may read.
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
  const refused = whyLogRefused(stat);
  if (refused === undefined) return { fd, stat };
  closeSync(fd);
  return { refused };
}

/** Why a file is refused as a log; undefined if it may be shown. */
export function whyLogRefused(stat: Stats): string | undefined {
  if (stat.isSymbolicLink()) return "is a symbolic link";
  if (!stat.isFile()) return "is not a file";
  if (stat.nlink > 1) return "is a second name of another file (a hard link)";
  return isMostlySparse(stat) ? `is almost empty for its length (${stat.size} bytes, most of them a hole)` : undefined;
}

// A sparse file may have terabytes that take hours to print. File systems with compression also use less than the
// length, but not less than a thousandth.
function isMostlySparse({ size, blocks }: Stats): boolean {
  return size > 2 ** 30 && blocks * 512 * 1000 < size;
}

/** The folder of the logs. Undefined if it does not exist or leads out of the run folder. */
export function logFolder({ root, logs }: RunPaths): string | undefined {
  try {
    const folder = realpathSync(logs);
    return folder.startsWith(realpathSync(root) + sep) ? folder : undefined;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
