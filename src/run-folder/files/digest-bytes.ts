import { readSync } from "node:fs";
import { crc32 } from "../../bytes/crc32.ts";
import { openFileToRead } from "./durable-files.ts";
import { closeSync, repeated } from "./store-calls.ts";

const chunk = Buffer.allocUnsafeSlow(1 << 18);

/** How many bytes were read, and their CRC-32. */
export interface Digested {
  readonly bytes: number;
  readonly digest: number;
}

/** Gets a part of the bytes. It must not keep the array: the next part overwrites it. */
type UsePart = (part: Uint8Array, at: number) => void;

/** Reads a file in parts and computes its CRC-32. */
export function digestFile(path: string, use?: UsePart): Digested {
  const file = openToReopen(path);
  try {
    return digestReads(file.read, {}, use);
  } finally {
    file.close();
  }
}

/** Reads at most `bytes` bytes of an open file, from offset `from` or from its current position. */
export function digestBytes(
  fd: number,
  { from, ...limit }: { readonly bytes?: number; readonly from?: number | undefined },
  use?: UsePart,
): Digested {
  return digestReads((length, at) => readSync(fd, chunk, 0, length, from === undefined ? null : from + at), limit, use);
}

/** Fills `chunk` with at most `length` bytes from `at` on; returns how many. */
type Read = (length: number, at: number) => number;

function digestReads(
  readAt: Read,
  { bytes = Number.POSITIVE_INFINITY }: { readonly bytes?: number },
  use?: UsePart,
): Digested {
  let digest = 0;
  let done = 0;
  while (done < bytes) {
    const length = Math.min(bytes - done, chunk.length);
    const read = readAt(length, done);
    if (read === 0) break;
    const part = chunk.subarray(0, read);
    digest = crc32(part, digest);
    use?.(part, done);
    done += read;
  }
  return { bytes: done, digest };
}

/** A file that is opened again where a network file system has lost it in the middle. */
function openToReopen(path: string): { readonly read: Read; close(): void } {
  let fd: number | undefined = openFileToRead(path);
  const close = () => {
    if (fd !== undefined) closeSync(fd);
    fd = undefined;
  };
  return {
    close,
    read: (length, at) =>
      repeated(path, () => {
        fd ??= openFileToRead(path);
        try {
          return readSync(fd, chunk, 0, length, at);
        } catch (error) {
          close();
          throw error;
        }
      }),
  };
}
