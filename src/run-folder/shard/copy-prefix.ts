import { dirname } from "node:path";
import { digestBytes } from "../files/digest-bytes.ts";
import { openFileToRead, writeFully } from "../files/durable-files.ts";
import { makeFolderInRun, openNewInRun } from "../files/run-files.ts";
import { closeSync, closeWritten } from "../files/store-calls.ts";

/**
 * Copies the first `bytes` of a file. Returns their CRC-32, or undefined if the file is shorter. `root`: the folder in
 * which the copy must be.
 */
export function copyPrefix(from: string, to: string, bytes: number, root: string): number | undefined {
  if (dirname(to) !== root) makeFolderInRun(root, dirname(to));
  const source = openFileToRead(from);
  let target: number | undefined;
  try {
    target = openNewInRun(root, to);
    const digest = pump(source, target, { bytes, path: to });
    const written = target;
    target = undefined;
    closeWritten(written);
    return digest;
  } finally {
    closeSync(source);
    if (target !== undefined) closeSync(target);
  }
}

/** Copies `bytes` bytes between open files, from the current position of the source or from `at`. */
export function pump(
  source: number,
  target: number,
  { bytes, path, at }: { bytes: number; path: string; at?: number },
): number | undefined {
  const copied = digestBytes(source, { bytes, from: at }, (part) => writeFully(target, part, path));
  return copied.bytes < bytes ? undefined : copied.digest;
}
