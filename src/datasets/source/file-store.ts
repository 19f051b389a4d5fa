import { closeSync, fstatSync, readSync } from "node:fs";
import { resolve } from "node:path";
import { MillraceError, messageOf } from "../../errors/errors.ts";
import { requireWithin } from "../../formats/byte-source.ts";
import { openFile } from "../../formats/file-source.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import type { LocalByteStore } from "./byte-store.ts";

const windowBytes = 1 << 16;

/** Opens a file of this machine. */
export function openFileStore(path: string): LocalByteStore {
  const { fd } = openFile(path);
  const { size: bytes, mtimeNs } = fstatSync(fd, { bigint: true });
  const size = Number(bytes);
  let isOpen = true;
  const window = Buffer.allocUnsafeSlow(windowBytes);
  let [windowAt, windowLength, nextAt] = [0, 0, -1];
  const fill = (offset: number, into: Buffer): Buffer => {
    if (!isOpen) throw closedFile(path);
    readExactly(fd, into, { offset, path });
    return into;
  };
  const store: LocalByteStore = {
    name: path,
    key: resolve(path),
    size,
    version: `${mtimeNs}`,
    read(offset, length) {
      requireWithin(store, offset, length);
      return fill(offset, Buffer.allocUnsafe(length));
    },
    // Rows in order cost one call of the system for many, and no row costs an allocation.
    peek(offset, length) {
      if (length > windowBytes || !(offset >= 0 && length >= 0 && offset + length <= size))
        return store.read(offset, length);
      const isNext = offset === nextAt;
      nextAt = offset + length;
      const from = offset - windowAt;
      if (from >= 0 && from + length <= windowLength) return window.subarray(from, from + length);
      windowLength = 0;
      const wanted = isNext ? Math.min(windowBytes, size - offset) : length;
      fill(offset, window.subarray(0, wanted));
      [windowAt, windowLength] = [offset, wanted];
      return window.subarray(0, length);
    },
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
      windowLength = 0;
    },
  };
  return store;
}

// Node reads at most 2 GiB in one call.
const largestRead = 1 << 30;

/** Fills a buffer from a file; a file that ends before is an error. */
export function readExactly(fd: number, into: Buffer, { offset, path }: { offset: number; path: string }): void {
  for (let done = 0; done < into.length; ) {
    let read: number;
    try {
      read = readSync(fd, into, done, Math.min(into.length - done, largestRead), offset + done);
    } catch (cause) {
      throw refuseFile(path, offset + done, `cannot be read (${messageOf(cause)})`, { cause });
    }
    if (read === 0) throw shorterFile(path, offset + done);
    done += read;
  }
}

function shorterFile(path: string, offset: number): MillraceError {
  return refuseFile(path, offset, "the file has become shorter since it was opened", {
    hint: "Do not change a file while a program reads it: open it again once it is complete.",
  });
}

/** The error for a dataset that is used after `close`. */
export function closedFile(path: string): MillraceError {
  return new MillraceError("BAD_FILE", `${path} was read after it had been closed.`, {
    hint: "A dataset and its views share one file: close it when none of them is needed any more.",
  });
}
