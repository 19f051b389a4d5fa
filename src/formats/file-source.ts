import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { MillraceError, messageOf } from "../shared/errors.ts";
import { badFile } from "./bad-file.ts";
import { type ByteSource, requireWithin } from "./byte-source.ts";

/** A file that is open for reading. */
export interface FileSource extends ByteSource {
  close(): void;
}

// Node takes at most 2 GiB in one call.
const largestRead = 1 << 30;

/** Opens a file for reading pieces of it; only the pieces asked for are in memory. */
export function openFileSource(path: string): FileSource {
  let fd: number;
  let size: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    throw unreadable(path, error);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error("it is not a regular file");
    size = stat.size;
  } catch (error) {
    closeSync(fd);
    throw unreadable(path, error);
  }
  return {
    name: path,
    size,
    read(offset, length) {
      requireWithin(this, offset, length);
      const bytes = Buffer.allocUnsafeSlow(length);
      for (let done = 0; done < length; ) {
        const read = readPiece(fd, bytes, { done, offset, path });
        if (read === 0) throw badFile(path, offset + done, "the file has become shorter while it was read");
        done += read;
      }
      return bytes;
    },
    close: () => closeSync(fd),
  };
}

/** Opens a file, hands it to a decoder and closes it, whatever the decoder does. */
export function withFileSource<T>(path: string, decode: (source: FileSource) => T): T {
  const source = openFileSource(path);
  try {
    return decode(source);
  } finally {
    source.close();
  }
}

function readPiece(
  fd: number,
  bytes: Buffer,
  { done, offset, path }: { done: number; offset: number; path: string },
): number {
  try {
    return readSync(fd, bytes, done, Math.min(bytes.length - done, largestRead), offset + done);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, cause: unknown): MillraceError {
  return new MillraceError("BAD_FILE", `${path} cannot be read: ${messageOf(cause)}.`, {
    cause,
    hint: "Check the path and its permissions.",
  });
}
