import { closeSync, constants, fstatSync, openSync, type Stats } from "node:fs";
import { errnoOf } from "../errors/errors.ts";

// O_NONBLOCK: opening a pipe must not wait for a writer. The pipe is refused afterwards.
const openFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Opens a regular file or a link to one. Anything else is refused, by a check of the opened file, because the path may
 * change between check and open: a pipe would block the reader forever, and a device may have no end.
 */
export function openRegularFile(path: string): { readonly fd: number; readonly sizeBytes: number } {
  const fd = openOrExplain(path);
  try {
    const stats = fstatSync(fd);
    requireRegularFile(stats);
    return { fd, sizeBytes: stats.size };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Throws with the kind of file unless it is a regular file. */
function requireRegularFile(stats: Stats): void {
  if (!stats.isFile()) throw new Error(`it is ${kindOf(stats)}, not a regular file`);
}

function openOrExplain(path: string): number {
  try {
    return openSync(path, openFlags);
  } catch (error) {
    // The result of opening a socket, or a device that does not exist.
    if (errnoOf(error) === "ENXIO") throw new Error("it is a socket or a device, not a regular file");
    throw error;
  }
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a directory";
  if (stats.isFIFO()) return "a pipe";
  if (stats.isSocket()) return "a socket";
  return "a device";
}
