import { combineCrc32, crc32 } from "../../bytes/crc32.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import type { ChunkLines } from "./scan-chunk.ts";

/** A scanned part of a text: its length, its checksum and its lines. */
export interface ScannedChunk {
  readonly bytes: number;
  readonly crc: number;
  readonly lines: ChunkLines;
}

/** Puts the parts of a text together, in order: where each row begins. */
export class LineCollector {
  offset = 0;
  crc = 0;
  private readonly name: string;
  private readonly maxLineBytes: number;
  private readonly addRow: (start: number) => void;
  /** The start of a line that has had only blanks so far. */
  private open: number | undefined = 0;
  private last = 0;

  constructor(name: string, maxLineBytes: number, addRow: (start: number) => void) {
    this.name = name;
    this.maxLineBytes = maxLineBytes;
    this.addRow = addRow;
  }

  /** A byte order mark belongs to no row: parts are added from behind it. */
  skipMark(mark: Buffer): void {
    this.crc = crc32(mark);
    this.offset = this.open = this.last = mark.length;
  }

  add({ bytes, crc, lines }: ScannedChunk): void {
    const base = this.offset;
    if (this.open !== undefined && lines.leading !== "blank") {
      if (lines.leading === "text") this.begin(this.open);
      this.open = undefined;
    }
    for (const start of lines.starts) this.begin(base + start);
    if (lines.openStart !== undefined) this.open = base + lines.openStart;
    this.offset += bytes;
    this.crc = combineCrc32(this.crc, crc, bytes);
    this.checkLength(this.offset);
  }

  private begin(start: number): void {
    this.checkLength(start);
    this.last = start;
    this.addRow(start);
  }

  private checkLength(end: number): void {
    if (end - this.last <= this.maxLineBytes) return;
    throw refuseFile(this.name, this.last, `the line that begins here is longer than ${this.maxLineBytes} bytes`, {
      hint: "It may not be a text file. If lines are that long on purpose, set maxLineBytes.",
    });
  }
}
