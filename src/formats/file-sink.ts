import { closeSync, constants, ftruncateSync, openSync, writeSync } from "node:fs";
import { errnoOf, MillraceError, messageOf } from "../errors/errors.ts";

/** The destination of an encoder's bytes, in order. */
export type ByteSink = (bytes: Uint8Array) => void;

// Smaller pieces are buffered: headers and small arrays would otherwise cost a system call each.
const bufferBytes = 1 << 16;

/** The maximum size of `reserve`. */
export const maxReserved: number = bufferBytes;

/** A file that is written sequentially, and may be patched before it is closed. */
export class FileSink {
  readonly path: string;
  private fd: number;
  /** Bytes that are not yet passed to the system, and the free space after them for `reserve`. */
  readonly waiting: Buffer = Buffer.allocUnsafeSlow(bufferBytes);
  private readonly onPut: ByteSink | undefined;
  private waitingBytes = 0;
  private position: number;

  /**
   * Without `keepBytes` the file is truncated; with it, writing continues after that many bytes. `onPut` gets what was
   * passed to the system, in the order of the file and in large pieces.
   */
  constructor(path: string, keepBytes?: number, onPut?: ByteSink) {
    this.path = path;
    this.onPut = onPut;
    this.position = keepBytes ?? 0;
    this.fd = this.attempt(() => openSync(path, keepBytes === undefined ? "w" : constants.O_WRONLY));
    if (keepBytes !== undefined) this.attempt(() => ftruncateSync(this.fd, keepBytes));
  }

  /** The length of the file, including bytes that are not yet passed to the system. */
  get bytes(): number {
    return this.position + this.waitingBytes;
  }

  write(bytes: Uint8Array): void {
    if (this.waitingBytes + bytes.length > bufferBytes) this.flush();
    if (bytes.length >= bufferBytes) {
      this.putBehind(bytes);
      return;
    }
    this.waiting.set(bytes, this.waitingBytes);
    this.waitingBytes += bytes.length;
  }

  /**
   * The offset in `waiting` at which that many bytes can be assembled, which saves a copy. `advance` sets how many were
   * written.
   */
  reserve(bytes: number): number {
    if (this.waitingBytes + bytes > bufferBytes) this.flush();
    return this.waitingBytes;
  }

  advance(bytes: number): void {
    this.waitingBytes += bytes;
  }

  /** Passes everything to the operating system. */
  flush(): void {
    if (this.waitingBytes === 0) return;
    this.putBehind(this.waiting.subarray(0, this.waitingBytes));
    this.waitingBytes = 0;
  }

  /** Overwrites existing bytes. */
  patch(bytes: Uint8Array, offset: number): void {
    this.flush();
    this.put(bytes, offset);
  }

  /** A second call does nothing. */
  close(): void {
    if (this.fd < 0) return;
    try {
      this.flush();
    } finally {
      const fd = this.fd;
      this.fd = -1;
      this.attempt(() => closeSync(fd));
    }
  }

  private putBehind(bytes: Uint8Array): void {
    this.put(bytes, this.position);
    this.position += bytes.length;
    this.onPut?.(bytes);
  }

  private put(bytes: Uint8Array, offset: number): void {
    if (this.fd < 0)
      throw new MillraceError("WRITER_FAILED", `${this.path} was written to after it was closed.`, {
        hint: "Close it once, after the last record.",
      });
    this.attempt(() => {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.fd, bytes, done, Math.min(bytes.length - done, 1 << 30), offset + done);
      }
    });
  }

  private attempt<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      const full = ["ENOSPC", "EDQUOT"].includes(errnoOf(error) ?? "");
      throw new MillraceError(full ? "STORE_FULL" : "STORE_IO", `${this.path} cannot be written: ${describe(error)}.`, {
        cause: error,
        hint: full ? "Free some space (or raise the quota) and run again." : "Check the folder and its permissions.",
      });
    }
  }
}

// Node.js does not know the names of all errors: "Unknown system error -116" is ESTALE.
function describe(error: unknown): string {
  const { code } = error as { code?: string };
  const name = errnoOf(error);
  return code === undefined || name === undefined ? messageOf(error) : messageOf(error).replaceAll(code, name);
}
