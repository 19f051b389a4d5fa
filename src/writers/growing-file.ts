import { dirname } from "node:path";
import { crc32, crcText } from "../bytes/crc32.ts";
import { MillraceError } from "../errors/errors.ts";
import { FileSink } from "../formats/file-sink.ts";
import { mkdirSync } from "../run-folder/files/store-calls.ts";
import { storeError } from "../run-folder/files/store-trouble.ts";
import type { FilePrefix } from "../run-folder/shard/checkpoint.ts";
import type { ShardFile } from "../run-folder/shard/done.ts";
import { fileOf } from "../run-folder/shard/shard-file-names.ts";

/**
 * A file of a shard that only grows, with a running checksum: the common part of byte writers. It is created with its
 * first bytes.
 */
export class GrowingFile {
  readonly name: string;
  readonly path: string;
  private sink: FileSink | undefined;
  private length = 0;
  private digest = 0;
  private isBegun = false;
  private isClosed = false;

  constructor(shardDir: string, name: string) {
    this.name = name;
    this.path = fileOf(shardDir, name);
  }

  get bytes(): number {
    return this.length;
  }

  append(bytes: Uint8Array): void {
    this.open().write(bytes);
    this.length += bytes.length;
  }

  /**
   * Appends bytes that are assembled in the file's own buffer: `put` gets the buffer and an offset, and returns their
   * end.
   */
  appendInPlace(maxBytes: number, put: (buffer: Buffer, start: number) => number): void {
    const sink = this.open();
    const start = sink.reserve(maxBytes);
    const bytes = put(sink.waiting, start) - start;
    sink.advance(bytes);
    this.length += bytes;
  }

  /** The valid length of the file, passed to the operating system; undefined if there is no file yet. */
  checkpoint(): FilePrefix[] {
    this.sink?.flush();
    return this.files();
  }

  restore(prefix: FilePrefix): void {
    this.sink = new FileSink(this.path, prefix.bytes, this.sum);
    this.length = prefix.bytes;
    this.digest = Number.parseInt(prefix.crc32 ?? "0", 16);
    this.isBegun = true;
  }

  close(): void {
    this.isClosed = true;
    const { sink } = this;
    // A shard may have many complete files: their buffers are released.
    this.sink = undefined;
    sink?.close();
  }

  files(): ShardFile[] {
    return this.isBegun ? [{ name: this.name, bytes: this.length, crc32: crcText(this.digest) }] : [];
  }

  // Checksummed in large pieces: a call per record costs more than the checksum.
  private readonly sum = (bytes: Uint8Array): void => {
    this.digest = crc32(bytes, this.digest);
  };

  private open(): FileSink {
    if (this.isClosed)
      throw new MillraceError("WRITER_FAILED", `${this.path} was written to after it was closed.`, {
        hint: "Close it once, after the last record.",
      });
    this.sink ??= this.begin();
    return this.sink;
  }

  private begin(): FileSink {
    try {
      if (this.name.includes("/")) mkdirSync(dirname(this.path), { recursive: true });
    } catch (error) {
      throw storeError(error, this.path);
    }
    const sink = new FileSink(this.path, undefined, this.sum);
    this.isBegun = true;
    return sink;
  }
}
