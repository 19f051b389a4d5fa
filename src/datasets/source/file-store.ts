import { isAscii } from "node:buffer";
import { closeSync, fstatSync, read, readSync } from "node:fs";
import { resolve } from "node:path";
import { MillraceError, messageOf } from "../../errors/errors.ts";
import { requireWithin } from "../../formats/byte-source.ts";
import { openFile } from "../../formats/file-source.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import { type LocalByteStore, wholeBuffer } from "./byte-store.ts";

const windowBytes = 1 << 16;

/** Opens a file of this machine. */
export function openFileStore(path: string): LocalByteStore {
  const { fd } = openFile(path);
  const { size: bytes, mtimeNs } = fstatSync(fd, { bigint: true });
  const size = Number(bytes);
  let isOpen = true;
  const window = Buffer.allocUnsafeSlow(windowBytes);
  let [windowAt, windowLength, nextAt] = [0, 0, -1];
  let windowText: string | undefined;
  const fill = (offset: number, into: Buffer, length: number): void => {
    if (!isOpen) throw closedFile(path);
    readExactly(fd, into, { offset, path, length });
  };
  const store: LocalByteStore = {
    name: path,
    key: resolve(path),
    size,
    version: `${mtimeNs}`,
    read(offset, length) {
      requireWithin(store, offset, length);
      const bytes = Buffer.allocUnsafe(length);
      fill(offset, bytes, length);
      return bytes;
    },
    async fill(into, offset, length) {
      requireWithin(store, offset, length);
      for (let done = 0; done < length; ) {
        if (!isOpen) throw closedFile(path);
        const at = { offset: offset + done, length: Math.min(length - done, largestRead) };
        // The number of a closed file may be none, or another file's.
        const count = await readOnce(fd, into.subarray(done), { ...at, path }).catch((error: unknown) => {
          throw isOpen ? error : closedFile(path);
        });
        if (!isOpen) throw closedFile(path);
        if (count === 0) throw shorterFile(path, offset + done);
        done += count;
      }
    },
    // Rows in order cost one call of the system for many, and no row costs an allocation.
    peek(offset, length, wantsText) {
      if (length > windowBytes || !(offset >= 0 && length >= 0 && offset + length <= size))
        return wholeBuffer(store.read(offset, length));
      const isNext = offset === nextAt;
      nextAt = offset + length;
      const from = offset - windowAt;
      if (from >= 0 && from + length <= windowLength)
        return { bytes: window, from, to: from + length, text: windowText };
      windowLength = 0;
      const wanted = isNext ? Math.min(windowBytes, size - offset) : length;
      fill(offset, window, wanted);
      [windowAt, windowLength] = [offset, wanted];
      // Decoding many rows at once takes a fifth of the time.
      windowText = wantsText && wanted > length ? asciiText(window, wanted) : undefined;
      return { bytes: window, from: 0, to: length, text: windowText };
    },
    close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
      windowLength = 0;
    },
  };
  return store;
}

function asciiText(bytes: Buffer, length: number): string | undefined {
  return isAscii(bytes.subarray(0, length)) ? bytes.toString("latin1", 0, length) : undefined;
}

// Node reads at most 2 GiB in one call.
const largestRead = 1 << 30;

/** Fills the first `length` bytes of a buffer from a file; a file that ends before is an error. */
export function readExactly(
  fd: number,
  into: Buffer,
  { offset, path, length = into.length }: { offset: number; path: string; length?: number },
): void {
  for (let done = 0; done < length; ) {
    let count: number;
    try {
      count = readSync(fd, into, done, Math.min(length - done, largestRead), offset + done);
    } catch (cause) {
      throw refuseFile(path, offset + done, `cannot be read (${messageOf(cause)})`, { cause });
    }
    if (count === 0) throw shorterFile(path, offset + done);
    done += count;
  }
}

function readOnce(
  fd: number,
  into: Buffer,
  { offset, length, path }: { readonly offset: number; readonly length: number; readonly path: string },
): Promise<number> {
  return new Promise((resolve, reject) => {
    read(fd, into, 0, length, offset, (cause, count) => {
      if (cause === null) resolve(count);
      else reject(refuseFile(path, offset, `cannot be read (${messageOf(cause)})`, { cause }));
    });
  });
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
