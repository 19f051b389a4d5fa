import { closeSync, readSync } from "node:fs";
import { crc32 } from "../../bytes/crc32.ts";
import { openFileToRead } from "./durable-files.ts";

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
  const fd = openFileToRead(path);
  try {
    return digestBytes(fd, {}, use);
  } finally {
    closeSync(fd);
  }
}

/** Reads at most `bytes` bytes of an open file, from offset `from` or from its current position. */
export function digestBytes(
  fd: number,
  { bytes = Number.POSITIVE_INFINITY, from }: { readonly bytes?: number; readonly from?: number | undefined },
  use?: UsePart,
): Digested {
  let digest = 0;
  let done = 0;
  while (done < bytes) {
    const length = Math.min(bytes - done, chunk.length);
    const read = readSync(fd, chunk, 0, length, from === undefined ? null : from + done);
    if (read === 0) break;
    const part = chunk.subarray(0, read);
    digest = crc32(part, digest);
    use?.(part, done);
    done += read;
  }
  return { bytes: done, digest };
}
