import { deflateRawSync } from "node:zlib";
import { crc32 } from "../../bytes/crc32.ts";
import { MillraceError } from "../../errors/errors.ts";
import type { ByteSink } from "../file-sink.ts";
import { centralHeader, endRecords, localHeader, streamDescriptor, type WrittenEntry } from "./zip-headers.ts";
import { problemOfName } from "./zip-records.ts";

/** How one entry of a zip archive is stored. */
export interface ZipEntryOptions {
  /** Deflates the entry. Default: stored. */
  readonly compress?: boolean;
  /** Aligns the data to this many bytes, so that it can be mapped into memory. Default 1. */
  readonly align?: number;
}

/** The offsets of an entry's header and data. */
export interface ZipEntryPlace {
  readonly headerOffset: number;
  readonly dataOffset: number;
}

/** Entries of an earlier writer of the same file, from `resumeZip`: new ones are added after them. */
export interface ZipPrefix {
  readonly entries: readonly WrittenEntry[];
  readonly bytes: number;
}

/**
 * Writes a ZIP archive sequentially, with 64-bit sizes if needed. The same entries give the same bytes: it contains no
 * times.
 */
export class ZipWriter {
  private readonly sink: ByteSink;
  private readonly entries: WrittenEntry[];
  private readonly names: Set<string>;
  private position: number;
  private open: { name: string; headerOffset: number; crc32: number; bytes: number } | undefined;
  private finished = false;

  constructor(sink: ByteSink, prefix: ZipPrefix = { entries: [], bytes: 0 }) {
    this.sink = sink;
    this.entries = [...prefix.entries];
    this.names = new Set(prefix.entries.map(({ name }) => name));
    this.position = prefix.bytes;
  }

  /** Adds an entry whose bytes are available, in one piece or several. */
  add(name: string, content: Uint8Array | readonly Uint8Array[], options: ZipEntryOptions = {}): ZipEntryPlace {
    this.claim(name);
    const pieces = content instanceof Uint8Array ? [content] : content;
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const sum = pieces.reduce((before, piece) => crc32(piece, before), 0);
    const deflated = options.compress ? deflateRawSync(Buffer.concat(pieces)) : undefined;
    const storedBytes = deflated?.length ?? bytes;
    const entry = {
      name,
      compressed: deflated !== undefined,
      crc32: sum,
      bytes,
      storedBytes,
      headerOffset: this.position,
    };
    this.put(localHeader(entry, { align: options.align ?? 1, streamed: false }));
    const dataOffset = this.position;
    for (const piece of deflated === undefined ? pieces : [deflated]) this.put(piece);
    this.entries.push({ ...entry, streamed: false });
    return { headerOffset: entry.headerOffset, dataOffset };
  }

  /** Begins a stored entry of unknown size; `write` its pieces, then `end` it. Such an archive cannot be resumed. */
  begin(name: string, options: Pick<ZipEntryOptions, "align"> = {}): void {
    this.claim(name);
    this.open = { name, headerOffset: this.position, crc32: 0, bytes: 0 };
    const unknown = { name, compressed: false, crc32: 0, bytes: 0, storedBytes: 0, headerOffset: this.position };
    this.put(localHeader(unknown, { align: options.align ?? 1, streamed: true }));
  }

  write(bytes: Uint8Array): void {
    if (this.open === undefined) throw misuse("write was called outside begin and end");
    this.open.crc32 = crc32(bytes, this.open.crc32);
    this.open.bytes += bytes.length;
    this.put(bytes);
  }

  end(): void {
    if (this.open === undefined) throw misuse("end was called without begin");
    const entry = { ...this.open, storedBytes: this.open.bytes, compressed: false, streamed: true };
    this.put(streamDescriptor(entry));
    this.entries.push(entry);
    this.open = undefined;
  }

  /** The length of the archive so far. */
  get bytes(): number {
    return this.position;
  }

  /** Writes the directory and returns its offset. Nothing can be added after it. */
  finish(): number {
    if (this.open !== undefined) throw misuse(`the entry ${this.open.name} was not ended`);
    if (this.finished) throw misuse("finish was called twice");
    this.finished = true;
    const offset = this.position;
    for (const entry of this.entries) this.put(centralHeader(entry));
    this.put(endRecords({ count: this.entries.length, offset, bytes: this.position - offset }));
    return offset;
  }

  private claim(name: string): void {
    const problem = problemOfName(name) ?? (this.names.has(name) ? "is there already" : undefined);
    if (problem !== undefined) {
      throw new MillraceError(
        "BAD_RECORD",
        `An archive cannot hold the entry ${JSON.stringify(name)}: it ${problem}.`,
        {
          hint: "Give every entry a relative name of its own; safeFileName makes one of any id.",
        },
      );
    }
    if (this.finished) throw misuse(`the entry ${name} comes after finish`);
    if (this.open !== undefined) throw misuse(`the entry ${name} comes before ${this.open.name} has ended`);
    this.names.add(name);
  }

  private put(bytes: Uint8Array): void {
    this.sink(bytes);
    this.position += bytes.length;
  }
}

/** Writes a ZIP archive entry by entry; `sink` gets its bytes, from the first to the last. */
export function openZipWriter(sink: ByteSink): ZipWriter {
  return new ZipWriter(sink);
}

function misuse(problem: string): MillraceError {
  return new MillraceError("WRITER_FAILED", `The archive cannot be written: ${problem}.`, {
    hint: "Call add, or begin, write and end, for one entry after the other, then finish once.",
  });
}
