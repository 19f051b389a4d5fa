import { accessSync } from "node:fs";
import { sep } from "node:path";
import { fileSystemOf } from "./file-system.ts";

// Between a local file system in user space (0.1 ms) and a file server in the same building (from 1 ms).
const slowMs = 1;
const known = new Map<string, boolean>();

/**
 * Whether each call to the file system of a folder takes so long that calls are worth saving, or making at the same time,
 * even where that costs more of this process. Measured once, with a name that no cache can know; not on a local file system.
 */
export function isSlowFolder(folder: string): boolean {
  let isSlow = known.get(folder);
  if (isSlow === undefined) {
    // The shorter one of two: this process may have been interrupted.
    isSlow = !fileSystemOf(folder).isLocal && Math.min(timeLookup(folder), timeLookup(folder)) >= slowMs;
    known.set(folder, isSlow);
  }
  return isSlow;
}

function timeLookup(folder: string): number {
  const missing = `${folder}${sep}.no-${Math.random().toString(36).slice(2)}`;
  const beganMs = performance.now();
  try {
    accessSync(missing);
  } catch {
    // As it should be.
  }
  return performance.now() - beganMs;
}
