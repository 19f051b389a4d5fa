import { closeSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { errnoOf, MillraceError, messageOf } from "../shared/errors.ts";

/** Where an encoder puts its bytes, one piece behind the other. */
export type ByteSink = (bytes: Uint8Array) => void;

// Pieces below this are put together first: headers and small arrays would otherwise cost a system call each.
const bufferBytes = 1 << 16;

/** The most that `reserve` gives. */
export const mostReserved: number = bufferBytes;

/** A file that is written from one end to the other, and may be patched before it is closed. */
export class FileSink {
  readonly path: string;
  private fd: number;
  /** What has not been handed to the system yet, and the room behind it that `reserve` speaks of. */
  readonly waiting: Buffer = Buffer.allocUnsafeSlow(bufferBytes);
  private readonly onPut: ByteSink | undefined;
  private waitingBytes = 0;
  private position: number;

  /**
   * Without `keepBytes` the file begins anew; with it, the file goes on behind its first so many bytes. `onPut` sees what
   * has been handed to the system, in the order of the file and in large pieces.
   */
  constructor(path: string, keepBytes?: number, onPut?: ByteSink) {
    this.path = path;
    this.onPut = onPut;
    this.position = keepBytes ?? 0;
    this.fd = this.attempt(() => openSync(path, keepBytes === undefined ? "w" : "r+"));
    if (keepBytes !== undefined) this.attempt(() => ftruncateSync(this.fd, keepBytes));
  }

  /** How long the file is, with what has not been handed to the system yet. */
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

  /** Where in `waiting` so many bytes can be put together, instead of elsewhere and copied. `advance` says how many came. */
  reserve(bytes: number): number {
    if (this.waitingBytes + bytes > bufferBytes) this.flush();
    return this.waitingBytes;
  }

  advance(bytes: number): void {
    this.waitingBytes += bytes;
  }

  /** Hands everything to the operating system. */
  flush(): void {
    if (this.waitingBytes === 0) return;
    this.putBehind(this.waiting.subarray(0, this.waitingBytes));
    this.waitingBytes = 0;
  }

  /** Writes over bytes that are there already. */
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
      throw new MillraceError(
        full ? "STORE_FULL" : "STORE_IO",
        `${this.path} cannot be written: ${messageOf(error)}.`,
        {
          cause: error,
          hint: full ? "Free some space (or raise the quota) and run again." : "Check the folder and its permissions.",
        },
      );
    }
  }
}
