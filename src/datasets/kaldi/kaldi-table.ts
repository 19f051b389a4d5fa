import { crc32 } from "../../bytes/crc32.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import type { IndexFile } from "../index/index-file.ts";
import { openIndex } from "../index/kept-index.ts";
import { RowSpans } from "../index/row-spans.ts";
import { rowText } from "../lines/row-values.ts";
import { type LocalByteStore, wholeBuffer } from "../source/byte-store.ts";
import { openFileStore } from "../source/file-store.ts";
import { storeChunks } from "../source/store-chunks.ts";

/** A line of a table: its first word, and the rest. */
export interface KaldiLine {
  readonly key: string;
  readonly value: string;
  readonly offset: number;
}

const maxLineBytes = 1 << 20;
const newline = 0x0a;

/**
 * A file of lines `key value`, sorted by key as all files of a Kaldi data folder are. Building the index checks the order, so
 * a key can be found by halving and the file is never held.
 */
export class KaldiTable {
  readonly path: string;
  readonly length: number;
  readonly digest: string;
  private readonly store: LocalByteStore;
  private readonly index: IndexFile;
  private readonly spans: RowSpans;

  private constructor(store: LocalByteStore, index: IndexFile) {
    this.store = store;
    this.index = index;
    this.spans = new RowSpans(index);
    this.path = store.name;
    this.length = index.rows;
    this.digest = `${index.rows} ${index.footer.crc}`;
  }

  static async open(path: string, indexDir: string | undefined): Promise<KaldiTable> {
    const store = openFileStore(path);
    try {
      const index = await openIndex({
        store,
        rules: "kaldi table",
        indexDir,
        build: async (writer, subject) => {
          const lines = new SortedLines(path, (start) => writer.addRow(start));
          for await (const chunk of storeChunks(store)) lines.add(chunk);
          lines.finish();
          writer.finish(store.size, { subject, textBytes: store.size, crc: lines.crc });
        },
      });
      return new KaldiTable(store, index);
    } catch (error) {
      store.close();
      throw error;
    }
  }

  line(row: number): KaldiLine {
    this.spans.locate(row);
    const { start, end } = this.spans;
    const text = rowText(wholeBuffer(this.store.read(start, end - start)), this.path, { row, offset: start }).trimEnd();
    const gap = text.search(/[ \t]/);
    const key = gap === -1 ? text : text.slice(0, gap);
    return { key, value: gap === -1 ? "" : text.slice(gap).trim(), offset: start };
  }

  /** The line of a key, which is often at `near`; undefined if there is none. */
  find(key: string, near: number): KaldiLine | undefined {
    if (near < this.length) {
      const line = this.line(near);
      if (line.key === key) return line;
    }
    const wanted = Buffer.from(key);
    let [low, high] = [0, this.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const line = this.line(middle);
      const order = Buffer.compare(Buffer.from(line.key), wanted);
      if (order === 0) return line;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  close(): void {
    this.index.close();
    this.store.close();
  }
}

/** Splits chunks into lines and checks that keys rise. */
class SortedLines {
  crc = 0;
  private readonly file: string;
  private readonly begin: (start: number) => void;
  private rest: Buffer = Buffer.alloc(0);
  private offset = 0;
  private previous: Buffer = Buffer.alloc(0);

  constructor(file: string, begin: (start: number) => void) {
    this.file = file;
    this.begin = begin;
  }

  add(chunk: Buffer): void {
    this.crc = crc32(chunk, this.crc);
    const bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    let at = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, at)) {
      this.line(bytes.subarray(at, end));
      this.offset += end + 1 - at;
      at = end + 1;
    }
    this.rest = Buffer.from(bytes.subarray(at));
    if (this.rest.length > maxLineBytes) throw this.bad(`a line is longer than ${maxLineBytes} bytes`);
  }

  finish(): void {
    if (this.rest.length > 0) this.line(this.rest);
  }

  private line(bytes: Buffer): void {
    const gap = bytes.findIndex((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
    const key = bytes.subarray(0, gap === -1 ? bytes.length : gap);
    const shown = JSON.stringify(key.toString("utf8", 0, 100));
    if (key.length === 0) throw this.bad("a line begins with its key, not with a blank");
    const order = this.offset === 0 ? 1 : Buffer.compare(key, this.previous);
    if (order === 0) throw this.bad(`the key ${shown} comes twice`);
    if (order < 0)
      throw this.bad(`the key ${shown} comes after ${JSON.stringify(this.previous.toString("utf8", 0, 100))}`);
    this.previous = Buffer.from(key);
    this.begin(this.offset);
  }

  private bad(problem: string): Error {
    return refuseFile(this.file, this.offset, problem, {
      hint: "Tables of Kaldi have one line a key, sorted by bytes: LC_ALL=C sort -u, or utils/fix_data_dir.sh.",
    });
  }
}
