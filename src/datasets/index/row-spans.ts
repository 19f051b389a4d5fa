import { boundOf, type IndexPage, pageRows } from "./index-page.ts";

// Pages of ten million rows are 21 MB: they stay. Of larger indexes the pages that were read first are dropped.
const maxPagesBytes = 32 * 2 ** 20;

/** What an index file gives: its pages by their number. */
export interface PageSource {
  readonly rows: number;
  readPage(page: number): IndexPage;
}

/** Where each row is, from the pages of an index. */
export class RowSpans {
  readonly rows: number;
  /** Where the row that was asked for last begins and ends. Not returned: a row must not cost an object. */
  start = 0;
  end = 0;
  private row = -1;
  private readonly source: PageSource;
  private readonly pages: (IndexPage | undefined)[];
  private readonly loaded: number[] = [];
  private bytes = 0;

  constructor(source: PageSource) {
    this.source = source;
    this.rows = source.rows;
    this.pages = new Array<IndexPage | undefined>(Math.ceil(source.rows / pageRows)).fill(undefined);
  }

  locate(row: number): void {
    const number = Math.floor(row / pageRows);
    const page = this.pages[number] ?? this.load(number);
    const inPage = row % pageRows;
    // A row begins where the one before it ends: rows in order need no search from an anchor.
    const start = row === this.row + 1 && inPage > 0 ? this.end : boundOf(page, inPage);
    this.row = row;
    this.start = start;
    this.end = page.offsets.length > 0 ? page.offsets[inPage + 1]! : start + page.lengths[inPage]!;
  }

  private load(number: number): IndexPage {
    const page = this.source.readPage(number);
    this.pages[number] = page;
    this.loaded.push(number);
    this.bytes += sizeOf(page);
    while (this.bytes > maxPagesBytes && this.loaded.length > 1) {
      const oldest = this.loaded.shift()!;
      this.bytes -= sizeOf(this.pages[oldest]!);
      this.pages[oldest] = undefined;
    }
    return page;
  }
}

function sizeOf({ anchors, lengths, offsets }: IndexPage): number {
  return anchors.byteLength + lengths.byteLength + offsets.byteLength;
}
