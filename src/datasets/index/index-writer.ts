import { closeSync, openSync, writeSync } from "node:fs";
import { crc32 } from "../../bytes/crc32.ts";
import { type IndexFooter, indexMagic } from "./index-footer.ts";
import { encodePage, pageRows } from "./index-page.ts";

/** Writes the index of a file while the file is read: pages, then what else a reader needs, then the footer. */
export class IndexWriter {
  readonly path: string;
  rows = 0;
  private readonly fd: number;
  private position = 0;
  /** Position and length of each page. */
  private readonly pages: number[] = [];
  private bounds = new Float64Array(pageRows + 1);
  private filled = 0;

  constructor(path: string) {
    this.path = path;
    this.fd = openSync(path, "wx");
    this.append(Buffer.from(indexMagic));
  }

  /** A row begins here. Rows come in order. */
  addRow(start: number): void {
    if (this.filled === pageRows) this.endPage(start);
    this.bounds[this.filled++] = start;
    this.rows++;
  }

  /** Adds bytes of the format's own; returns where they are. */
  append(bytes: Buffer): number {
    const at = this.position;
    for (let done = 0; done < bytes.length; ) done += writeSync(this.fd, bytes, done);
    this.position += bytes.length;
    return at;
  }

  /** `end`: where the last row ends. */
  finish(end: number, footer: Omit<IndexFooter, "rows" | "directory">): void {
    if (this.filled > 0) this.endPage(end);
    const directory = this.append(Buffer.from(Float64Array.from(this.pages).buffer));
    const text = Buffer.from(JSON.stringify({ ...footer, rows: this.rows, directory }));
    this.append(text);
    const tail = Buffer.alloc(16);
    tail.writeUInt32LE(text.length, 0);
    tail.writeUInt32LE(crc32(text), 4);
    tail.write(indexMagic, 8);
    this.append(tail);
    closeSync(this.fd);
  }

  /** Closes an index that will not be finished; its caller removes the file. */
  abandon(): void {
    closeSync(this.fd);
  }

  private endPage(end: number): void {
    this.bounds[this.filled] = end;
    const page = encodePage(this.bounds.subarray(0, this.filled + 1));
    this.pages.push(this.append(page), page.length);
    this.filled = 0;
  }
}
