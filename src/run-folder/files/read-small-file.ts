import { constants, fstatSync, readSync } from "node:fs";
import { errnoOf } from "../../errors/errors.ts";
import type { FileOwner } from "./file-owner.ts";
import { closeSync, lstatSync, openSync } from "./store-calls.ts";
import { isMissing } from "./store-trouble.ts";

/** The text and owner of a file, or why it is refused. */
export type SmallFile =
  | { readonly text: string; readonly owner: FileOwner; readonly problem?: undefined }
  | { readonly problem: string };

// Absent on Windows, where there are no pipes in folders.
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/**
 * Reads a file that other users may have put into a run folder. Links, pipes and files above `maxBytes` are refused.
 * Undefined if there is none.
 */
export function readSmallFile(path: string, maxBytes: number): SmallFile | undefined {
  try {
    const found = lstatSync(path);
    if (found.isSymbolicLink()) return { problem: "it is a link" };
    if (!found.isFile()) return { problem: "it is not a regular file" };
    const fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      return readOpened(fd, maxBytes);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    const code = errnoOf(error);
    if (code === undefined) throw error;
    return { problem: `it cannot be read (${code})` };
  }
}

function readOpened(fd: number, maxBytes: number): SmallFile {
  const owner = fstatSync(fd);
  if (!owner.isFile()) return { problem: "it is not a regular file" };
  if (owner.size > maxBytes) return { problem: `it has ${owner.size} bytes, more than ${maxBytes}` };
  const bytes = Buffer.alloc(owner.size);
  let length = 0;
  for (let read = -1; read !== 0 && length < bytes.length; length += read)
    read = readSync(fd, bytes, length, bytes.length - length, null);
  return { text: bytes.toString("utf8", 0, length), owner };
}
