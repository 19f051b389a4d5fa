import { refuseFile } from "../../formats/refuse-file.ts";
import { isThenable } from "../../runtime/is-thenable.ts";
import type { RowRuns } from "../dataset.ts";
import type { IndexFile } from "../index/index-file.ts";
import { RowSpans } from "../index/row-spans.ts";
import { type ByteRange, type ByteStore, wholeBuffer } from "../source/byte-store.ts";
import { LineRuns } from "./line-runs.ts";
import { type RowPlace, rowText } from "./row-values.ts";

/** The text of a row, without its line break, becomes its value. */
export type ParseRow<Row> = (text: string, place: RowPlace) => Row;

export interface LineReading<Row> {
  readonly parse: ParseRow<Row>;
  /** Lines at the beginning that are no rows, a header: 0 or 1. */
  readonly skipped: number;
  /** Whether a value holds no part of the text that it was made from: then that may be part of a longer text. */
  readonly copiesText: boolean;
}

// Rows that are this close to each other are read together.
const maxGapBytes = 1 << 16;
const maxReadBytes = 4 * 2 ** 20;
const lineFeed = 10;

/** Reads rows of a text by its index. */
export class LineRows<Row> {
  readonly length: number;
  private readonly text: ByteStore;
  private readonly spans: RowSpans;
  private readonly parse: ParseRow<Row>;
  private readonly skipped: number;
  private readonly copiesText: boolean;

  constructor(text: ByteStore, index: IndexFile, { parse, skipped, copiesText }: LineReading<Row>) {
    this.text = text;
    this.spans = new RowSpans(index);
    this.parse = parse;
    this.skipped = skipped;
    this.copiesText = copiesText;
    this.length = index.rows - skipped;
  }

  read(index: number): Row | Promise<Row> {
    const { spans, text } = this;
    spans.locate(index + this.skipped);
    const { start, end } = spans;
    const bytes = text.read(start, end - start);
    if (isThenable(bytes)) return Promise.resolve(bytes).then((come) => this.row(wholeBuffer(come), index, start));
    return this.row(wholeBuffer(bytes), index, start);
  }

  /** A row of a text that is here. */
  readNow(index: number): Row {
    const { spans, text } = this;
    spans.locate(index + this.skipped);
    const { start, end } = spans;
    if (text.peek !== undefined) return this.row(text.peek(start, end - start, this.copiesText), index, start);
    const bytes = text.read(start, end - start);
    if (bytes instanceof Promise) throw new TypeError(`${text.name} is not a file of this machine.`);
    return this.row(wholeBuffer(bytes), index, start);
  }

  /** Rows in order, read ahead: of a text that can be read so. */
  readRuns(fill: NonNullable<ByteStore["fill"]>, from: number, end: number): RowRuns<Row> {
    const { spans, copiesText, skipped } = this;
    const row = (range: ByteRange, index: number, offset: number) => this.row(range, index, offset);
    return new LineRuns<Row>({ fill, spans, copiesText, skipped, row }, from, end);
  }

  /** Several rows; neighbours come with one read. */
  async readMany(indices: readonly number[]): Promise<Row[]> {
    const rows = new Map<number, Row>();
    const reads: Promise<void>[] = [];
    const places = [...new Set(indices)]
      .sort((a, b) => a - b)
      .map((index) => {
        this.spans.locate(index + this.skipped);
        return { index, start: this.spans.start, end: this.spans.end };
      });
    for (let from = 0; from < places.length; ) {
      const { start } = places[from]!;
      let to = from + 1;
      while (to < places.length && isNear(places[to - 1]!, places[to]!, start)) to++;
      const group = places.slice(from, to);
      reads.push(
        (async () => {
          const bytes = await this.text.read(start, group.at(-1)!.end - start);
          for (const place of group) {
            const range = { bytes, from: place.start - start, to: place.end - start };
            rows.set(place.index, this.row(range, place.index, place.start));
          }
        })(),
      );
      from = to;
    }
    await Promise.all(reads);
    return indices.map((index) => rows.get(index)!);
  }

  private row(range: ByteRange, index: number, offset: number): Row {
    const { bytes, from, to } = range;
    // Every row but the last ends with a line break: if not, the file is not the one that was indexed.
    if ((from === to || bytes[to - 1] !== lineFeed) && offset + to - from < this.text.size) {
      throw refuseFile(this.text.name, offset, `row ${index} does not end where the index says`, {
        hint: "The file was changed after it was opened. Open it again once it is complete.",
      });
    }
    const place = { row: index, offset };
    return this.parse(rowText(range, this.text.name, place), place);
  }
}

function isNear(before: { end: number }, next: { start: number; end: number }, start: number): boolean {
  return next.start - before.end <= maxGapBytes && next.end - start <= maxReadBytes;
}
