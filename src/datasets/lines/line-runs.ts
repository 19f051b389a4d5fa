import { isAscii } from "node:buffer";
import type { RowRun, RowRuns } from "../dataset.ts";
import type { RowSpans } from "../index/row-spans.ts";
import type { ByteRange, ByteStore } from "../source/byte-store.ts";

/** Where rows of lines are, and how bytes become one. */
export interface LineRunSource<Row> {
  readonly fill: NonNullable<ByteStore["fill"]>;
  readonly spans: RowSpans;
  readonly copiesText: boolean;
  /** Lines at the beginning that are no rows. */
  readonly skipped: number;
  readonly row: (range: ByteRange, index: number, offset: number) => Row;
}

// A text of more than 128 KiB costs V8 more than the reads that it saves.
const maxRows = 4096;
const maxBytes = 1 << 16;

interface PendingRun {
  readonly first: number;
  readonly length: number;
  readonly base: number;
  readonly bytes: Buffer;
  readonly size: number;
  readonly read: Promise<void>;
}

/** Rows in order, 64 KiB at a time: the next ones are read while these become values. */
export class LineRuns<Row> implements RowRuns<Row> {
  private readonly source: LineRunSource<Row>;
  private readonly end: number;
  private position: number;
  private pending: PendingRun | undefined;
  /** Of the run that its reader works on; it takes turns with that of the next one. */
  private buffer: Buffer = Buffer.alloc(0);

  constructor(source: LineRunSource<Row>, from: number, end: number) {
    this.source = source;
    this.end = end;
    this.position = from;
  }

  async next(): Promise<RowRun<Row>> {
    const { first, length, base, bytes, size, read } = this.pending ?? this.begin(this.buffer);
    await read;
    const spare = this.buffer;
    this.buffer = bytes;
    this.pending = this.position < this.end ? this.begin(spare) : undefined;
    const { spans, skipped, copiesText, row } = this.source;
    const isPlain = copiesText && length > 1 && isAscii(bytes.subarray(0, size));
    // Decoding many rows at once takes a fifth of the time.
    const text = isPlain ? bytes.toString("latin1", 0, size) : undefined;
    const at = (i: number): Row => {
      spans.locate(first + i + skipped);
      const { start, end } = spans;
      return row({ bytes, from: start - base, to: end - base, text }, first + i, start);
    };
    return { length, at };
  }

  private begin(spare: Buffer): PendingRun {
    const { source, position, end } = this;
    const base = this.bounds(position).start;
    let length = Math.min(maxRows, end - position);
    let size = this.bounds(position + length - 1).end - base;
    while (size > maxBytes && length > 1) {
      length = length >>> 1;
      size = this.bounds(position + length - 1).end - base;
    }
    const bytes = spare.length >= size ? spare : Buffer.allocUnsafeSlow(Math.max(size, maxBytes));
    const read = source.fill(bytes, base, size);
    // An error is thrown where the run is awaited, and must not end the process before.
    read.catch(() => {});
    this.position += length;
    return { first: position, length, base, bytes, size, read };
  }

  private bounds(row: number): { readonly start: number; readonly end: number } {
    const { spans, skipped } = this.source;
    spans.locate(row + skipped);
    return { start: spans.start, end: spans.end };
  }
}
