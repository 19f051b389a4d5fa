import type { ByteSource } from "./byte-source.ts";
import { readBytes, requireBytes } from "./read-bytes.ts";
import { refuseFile } from "./refuse-file.ts";

const windowBytes = 1 << 16;
const nothing = new Uint8Array(0);

/** Reads a source sequentially from an offset on, with one small window in memory. */
export class ByteCursor {
  readonly source: ByteSource;
  position: number;
  private window: Uint8Array = nothing;
  private windowStart = 0;
  private windowEnd = 0;

  constructor(source: ByteSource, position = 0) {
    this.source = source;
    this.position = position;
  }

  get atEnd(): boolean {
    return this.position >= this.source.size;
  }

  /** The byte at the cursor, or -1 at the end. */
  peek(): number {
    if (this.position >= this.windowEnd || this.position < this.windowStart) {
      if (this.atEnd) return -1;
      this.load();
    }
    return this.window[this.position - this.windowStart]!;
  }

  /** The byte at the cursor, which advances; -1 at the end. */
  next(): number {
    const byte = this.peek();
    if (byte >= 0) this.position++;
    return byte;
  }

  /** The next bytes. A short piece is a view that is valid until the next call. */
  take(length: number, what: string): Uint8Array {
    requireBytes(this.source, this.position, length, what);
    const start = this.position;
    this.position += length;
    if (length > windowBytes) return readBytes(this.source, start, length, what);
    if (start < this.windowStart || start + length > this.windowEnd) this.load(start);
    return this.window.subarray(start - this.windowStart, start - this.windowStart + length);
  }

  /** A copy of the next bytes. */
  takeCopy(length: number, what: string): Uint8Array<ArrayBuffer> {
    const bytes = readBytes(this.source, this.position, length, what);
    this.position += length;
    return bytes;
  }

  /** The error for an offset, by default that of the cursor. */
  bad(what: string, offset: number = this.position): Error {
    return refuseFile(this.source.name, offset, what);
  }

  private load(start = this.position): void {
    const length = Math.min(windowBytes, this.source.size - start);
    this.window = this.source.read(start, length);
    this.windowStart = start;
    this.windowEnd = start + length;
  }
}
