import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32, crcText } from "../shared/crc32.ts";
import { MillraceError } from "../shared/errors.ts";
import type { ShardFile } from "../store/done.ts";
import { storeError, writeFully } from "../store/durable-files.ts";
import type { Writer, WriterCheckpoint } from "./writer.ts";

// Large enough that a system call costs nothing per line, small enough to stay in the processor's cache.
const flushAtCharacters = 1 << 15;

/** Lines in a file of the shard folder, with a running checksum so that it can stop and go on at any line. */
export class LineWriter<Record> implements Writer<Record> {
  readonly name: string;
  private readonly path: string;
  private readonly encode: (record: Record) => string;
  private fd: number | undefined;
  private text = "";
  private bytes = 0;
  private digest = 0;
  private lines = 0;
  private begun = false;
  private closed = false;

  constructor(shardDir: string, name: string, encode: (record: Record) => string) {
    this.name = name;
    this.path = join(shardDir, this.name);
    this.encode = encode;
  }

  write(record: Record): void {
    this.text += `${this.encode(record)}\n`;
    this.lines++;
    if (this.text.length >= flushAtCharacters) this.flush();
  }

  checkpoint(): WriterCheckpoint {
    this.flush();
    if (!this.begun) return { files: [] };
    return { files: [{ name: this.name, bytes: this.bytes, crc32: crcText(this.digest) }], token: this.lines };
  }

  restore({ files, token }: WriterCheckpoint): void {
    const [prefix] = files;
    if (prefix === undefined) return;
    this.fd = this.open("a");
    this.bytes = prefix.bytes;
    this.digest = Number.parseInt(prefix.crc32 ?? "0", 16);
    this.lines = Number(token);
  }

  close(): void {
    try {
      this.flush();
    } finally {
      this.text = "";
      this.closed = true;
      if (this.fd !== undefined) closeSync(this.fd);
      this.fd = undefined;
    }
  }

  files(): readonly ShardFile[] {
    if (!this.begun) return [];
    return [{ name: this.name, bytes: this.bytes, crc32: crcText(this.digest), lines: this.lines }];
  }

  private flush(): void {
    if (this.text === "") return;
    if (this.closed) throw new MillraceError("WRITER_FAILED", `${this.path} was written to after it was closed.`);
    const bytes = encodeText(this.text);
    this.text = "";
    this.fd ??= this.open("w");
    writeFully(this.fd, bytes, this.path);
    this.digest = crc32(bytes, this.digest);
    this.bytes += bytes.length;
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

// One buffer for all writers of the thread: a fresh one for every flush costs more than the copy into it.
let shared = Buffer.allocUnsafeSlow(4 * flushAtCharacters);

function encodeText(text: string): Buffer {
  if (text.length * 3 > shared.length) shared = Buffer.allocUnsafeSlow(text.length * 3);
  return shared.subarray(0, shared.write(text));
}
