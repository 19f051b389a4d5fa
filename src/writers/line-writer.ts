import { dirname } from "node:path";
import { crc32, crcText } from "../bytes/crc32.ts";
import { MillraceError } from "../errors/errors.ts";
import { writeFully } from "../run-folder/files/durable-files.ts";
import { closeWritten, mkdirSync, openSync } from "../run-folder/files/store-calls.ts";
import { storeError } from "../run-folder/files/store-trouble.ts";
import type { ShardFile } from "../run-folder/shard/done.ts";
import { fileOf } from "../run-folder/shard/shard-file-names.ts";
import type { Writer, WriterCheckpoint } from "./writer.ts";

// Large enough that a system call costs nothing per line, small enough to stay in the processor's cache.
const flushAtCharacters = 1 << 15;
// Larger compressed pieces are better, but the text waiting for one is part of every checkpoint.
const compressAtCharacters = 1 << 17;

// After a record that could not be written in place, this many are not tried: they are probably similar.
const leftAfterMiss = 100;

/** What a compressed file needs to resume: text that is not in the file yet. */
interface WaitingText {
  readonly lines: number;
  readonly text: string;
}

/** Writes a record as a line into a buffer and returns its end, or -1 if it must be encoded as text. */
type PutLine = (record: unknown, into: Uint8Array, start: number) => number;

interface LineOptions {
  readonly compress?: ((bytes: Uint8Array) => Uint8Array) | undefined;
  readonly putLine?: PutLine | undefined;
}

/**
 * Lines in a file of the shard folder, with a running checksum, so that it can stop and resume at any line. With
 * `compress` the file consists of compressed pieces that do not depend on the times of checkpoints: text that does not
 * fill one yet is part of the checkpoint instead.
 */
export class LineWriter<Record> implements Writer<Record>, Disposable {
  readonly name: string;
  private readonly path: string;
  private readonly encode: (record: Record) => string;
  private readonly putLine: PutLine | undefined;
  private readonly compress: ((bytes: Uint8Array) => Uint8Array) | undefined;
  private readonly flushAt: number;
  private fd: number | undefined;
  /** Lines that were written in place, followed by those that were encoded. */
  private buffer: Buffer | undefined;
  private used = 0;
  private text = "";
  /** The number of records to encode before one is written in place again. */
  private left = 0;
  private bytes = 0;
  private digest = 0;
  private lines = 0;
  private begun = false;
  private closed = false;

  constructor(
    shardDir: string,
    name: string,
    encode: (record: Record) => string,
    { compress, putLine }: LineOptions = {},
  ) {
    this.name = name;
    this.path = fileOf(shardDir, name);
    this.encode = encode;
    this.compress = compress;
    // What waits to be compressed is text, because it is part of a checkpoint.
    this.putLine = compress === undefined ? putLine : undefined;
    // Here and not with the first line: a new branch in the hot path would make V8 compile it again.
    if (this.putLine !== undefined) this.buffer = spare.pop() ?? Buffer.allocUnsafeSlow(2 * flushAtCharacters);
    this.flushAt = compress === undefined ? flushAtCharacters : compressAtCharacters;
  }

  write(record: Record): void {
    if (this.left > 0) this.left--;
    else if (this.putLine !== undefined && this.put(record, this.putLine)) return;
    this.text += `${this.encode(record)}\n`;
    this.lines++;
    if (this.text.length >= this.flushAt) this.flush();
  }

  checkpoint(): WriterCheckpoint {
    if (this.compress === undefined) this.flush();
    const files = this.begun ? [{ name: this.name, bytes: this.bytes, crc32: crcText(this.digest) }] : [];
    if (this.lines === 0) return { files };
    const waiting: WaitingText = { lines: this.lines, text: this.text };
    return { files, token: this.compress === undefined ? this.lines : waiting };
  }

  restore({ files, token }: WriterCheckpoint): void {
    const [prefix] = files;
    if (prefix !== undefined) {
      this.fd = this.open("a");
      this.bytes = prefix.bytes;
      this.digest = Number.parseInt(prefix.crc32 ?? "0", 16);
    }
    const { lines, text } =
      typeof token === "object" ? (token as WaitingText) : { lines: Number(token ?? 0), text: "" };
    this.lines = lines;
    this.text = text;
  }

  close(): void {
    try {
      this.flush();
    } finally {
      this.text = "";
      this.used = 0;
      if (this.buffer !== undefined) spare.push(this.buffer);
      this.buffer = undefined;
      this.closed = true;
      const { fd } = this;
      this.fd = undefined;
      if (fd !== undefined) this.closeFile(fd);
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }

  files(): readonly ShardFile[] {
    if (!this.begun) return [];
    const file = { name: this.name, bytes: this.bytes, crc32: crcText(this.digest) };
    // Lines inside compressed pieces have no offset in the file at which another line could be inserted.
    return [this.compress === undefined ? { ...file, lines: this.lines } : file];
  }

  private put(record: Record, putLine: PutLine): boolean {
    if (this.text !== "") this.flush();
    const end = putLine(record, this.buffer!, this.used);
    if (end === -1) {
      this.left = leftAfterMiss;
      return false;
    }
    this.used = end;
    this.lines++;
    if (end >= flushAtCharacters) this.flush();
    return true;
  }

  private flush(): void {
    const { used, text } = this;
    if (used === 0 && text === "") return;
    if (this.closed)
      throw new MillraceError("WRITER_FAILED", `${this.path} was written to after it was closed.`, {
        hint: "Close it once, after the last record.",
      });
    this.used = 0;
    this.text = "";
    if (used > 0) this.append(this.buffer!.subarray(0, used));
    if (text === "") return;
    const plain = encodeText(text);
    this.append(this.compress === undefined ? plain : this.compress(plain));
  }

  private append(bytes: Uint8Array): void {
    this.fd ??= this.open("w");
    writeFully(this.fd, bytes, this.path);
    this.digest = crc32(bytes, this.digest);
    this.bytes += bytes.length;
  }

  private closeFile(fd: number): void {
    try {
      closeWritten(fd);
    } catch (error) {
      throw storeError(error, this.path);
    }
  }

  private open(flags: "w" | "a"): number {
    try {
      if (flags === "w" && this.name.includes("/")) mkdirSync(dirname(this.path), { recursive: true });
      const fd = openSync(this.path, flags);
      this.begun = true;
      return fd;
    } catch (error) {
      throw storeError(error, this.path);
    }
  }
}

// Buffers of closed writers, for reuse: shards follow each other.
const spare: Buffer[] = [];

// One buffer for all texts of the thread: a new one for every flush costs more than the copy into it.
let shared = Buffer.allocUnsafeSlow(4 * flushAtCharacters);

function encodeText(text: string): Buffer {
  if (text.length * 3 > shared.length) shared = Buffer.allocUnsafeSlow(text.length * 3);
  return shared.subarray(0, shared.write(text));
}
