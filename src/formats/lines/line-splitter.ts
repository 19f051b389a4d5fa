import { isUtf8 } from "node:buffer";
import type { OutputOptions } from "../../input/output-limit.ts";
import { refuseFile } from "../refuse-file.ts";

/** A line of a text file with its position, for messages. */
export interface Line {
  readonly text: string;
  /** Counted from 1. */
  readonly number: number;
  /** The byte it begins at. */
  readonly offset: number;
}

/**
 * The maximum length of a line, and the maximum memory of its record. Lines are read one by one, so a file as a whole
 * may have any size, also a compressed one.
 */
export interface LineLimits extends OutputOptions {
  /**
   * The maximum line length in bytes; a longer line is an error, so that a file without line breaks does not fill the
   * memory.
   */
  readonly maxLineBytes?: number;
}

const usualMaxLineBytes = 64 * 1024 * 1024;

/** Splits chunks of bytes into lines: UTF-8, without a byte order mark, CRLF like LF. */
export class LineSplitter {
  private readonly name: string;
  private readonly maxLineBytes: number;
  private readonly rest: Buffer[] = [];
  private restBytes = 0;
  private number = 0;
  private offset = 0;

  constructor(name: string, { maxLineBytes = usualMaxLineBytes }: LineLimits = {}) {
    this.name = name;
    this.maxLineBytes = maxLineBytes;
  }

  /** The lines that end within the chunk. */
  *push(chunk: Uint8Array): Generator<Line> {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let start = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
      yield this.line(this.joined(bytes.subarray(start, end)), 1);
      start = end + 1;
    }
    // Copied: the caller may reuse the chunk.
    if (start < bytes.length) this.rest.push(Buffer.from(bytes.subarray(start)));
    this.restBytes += bytes.length - start;
    this.checkLength(this.restBytes);
  }

  /** The last line, if it has no line break. */
  *end(): Generator<Line> {
    if (this.restBytes > 0) yield this.line(this.joined(Buffer.alloc(0)), 0);
  }

  private joined(last: Buffer): Buffer {
    this.checkLength(this.restBytes + last.length);
    if (this.rest.length === 0) return last;
    const line = Buffer.concat([...this.rest, last]);
    this.rest.length = 0;
    this.restBytes = 0;
    return line;
  }

  private line(bytes: Buffer, breakBytes: number): Line {
    const { offset } = this;
    const number = ++this.number;
    this.offset += bytes.length + breakBytes;
    if (!isUtf8(bytes)) throw refuseFile(this.name, offset, `line ${number} is not UTF-8`);
    const from = number === 1 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    const to = bytes[bytes.length - 1] === 13 ? bytes.length - 1 : bytes.length;
    return { text: bytes.toString("utf8", from, to), number, offset };
  }

  private checkLength(bytes: number): void {
    if (bytes <= this.maxLineBytes) return;
    const what = `line ${this.number + 1} is longer than ${this.maxLineBytes} bytes`;
    throw refuseFile(this.name, this.offset, what, {
      hint: "It may not be a text file. If lines are that long on purpose, set maxLineBytes.",
    });
  }
}
