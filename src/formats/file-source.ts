import { closeSync, readSync } from "node:fs";
import { MillraceError, messageOf } from "../errors/errors.ts";
import { openRegularFile } from "../input/open-regular-file.ts";
import { badFile } from "./bad-file.ts";
import { type ByteSource, requireWithin } from "./byte-source.ts";

/** A file that is open for reading. */
export interface FileSource extends ByteSource, Disposable {
  /** A second call does nothing. */
  close(): void;
}

// Node reads at most 2 GiB in one call.
const largestRead = 1 << 30;

/** Opens a file for reading pieces; only the requested pieces are in memory. */
export function openFileSource(path: string): FileSource {
  const { fd, sizeBytes: size } = openFile(path);
  let isOpen = true;
  const close = (): void => {
    if (isOpen) closeSync(fd);
    isOpen = false;
  };
  return {
    name: path,
    size,
    read(offset, length) {
      requireWithin(this, offset, length);
      // Its number may be another file's by now.
      if (!isOpen) throw unreadable(path, new Error("it was closed before"));
      const bytes = Buffer.allocUnsafeSlow(length);
      for (let done = 0; done < length; ) {
        const read = readPiece(fd, bytes, { done, offset, path });
        if (read === 0) throw badFile(path, offset + done, "the file has become shorter while it was read");
        done += read;
      }
      return bytes;
    },
    close,
    [Symbol.dispose]: close,
  };
}

/** Opens a file, passes it to a decoder and always closes it. */
export function withFileSource<T>(path: string, decode: (source: FileSource) => T): T {
  const source = openFileSource(path);
  try {
    return decode(source);
  } finally {
    source.close();
  }
}

/** The descriptor of a regular file, which the caller must close; anything else is an error. */
export function openFile(path: string): ReturnType<typeof openRegularFile> {
  try {
    return openRegularFile(path);
  } catch (error) {
    throw unreadable(path, error);
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
    hint: "Check the path and its permissions. Only regular files are read: copy a pipe or a device into one first.",
  });
}
