import type { ColumnMetaData } from "hyparquet";
import { isMillraceError, messageOf } from "../../errors/errors.ts";
import type { OutputMeter } from "../../input/output-limit.ts";
import { ByteCursor } from "../byte-cursor.ts";
import type { ByteSource } from "../byte-source.ts";
import { readBytes } from "../read-bytes.ts";
import { refuseFile } from "../refuse-file.ts";
import type { LeafColumn } from "./check-metadata.ts";
import { checkPageData, type Inflate } from "./check-page-data.ts";
import { decodingCost, pageCost } from "./column-cost.ts";
import { PageError } from "./page-error.ts";
import { type PageHeader, readPageHeader } from "./page-header.ts";
import { readThrift } from "./thrift.ts";

/** The maximum growth of a byte by decompression. */
const largestGrowth: Readonly<Record<string, number>> = { UNCOMPRESSED: 1, SNAPPY: 22, GZIP: 1040 };
const largestPage = 2 ** 28;

export interface CheckPagesOptions {
  /** Where the data of the file end. */
  readonly end: number;
  /** The maximum number of values in a column of a group without bytes for them (runs of equal values). */
  readonly maxGroupRows: number;
  readonly inflate: Inflate;
  /** Counts the memory of the group. */
  readonly meter: OutputMeter;
}

/**
 * Walks over the pages of a column and compares their headers with their bytes: the library allocates and repeats what
 * a page announces before it checks the rest. Returns the number of values.
 */
export function checkPages(
  source: ByteSource,
  column: ColumnMetaData,
  leaf: LeafColumn,
  options: CheckPagesOptions,
): number {
  const { start, stop } = rangeOfColumn(source.name, column, options.end);
  const name = JSON.stringify(column.path_in_schema.join("."));
  const cursor = new ByteCursor(source, start);
  const sums = { values: 0, bytes: 0, dictionaryValues: undefined as number | undefined };
  while (cursor.position < stop - 1) {
    const at = cursor.position;
    try {
      const page = readPageHeader(readThrift(cursor, stop));
      checkSizes(page, stop - cursor.position, column.codec);
      addUp(sums, page, options.maxGroupRows);
      options.meter.spend(pageCost(page, leaf));
      options.meter.require(decodingCost(page, leaf));
      const bytes = readBytes(source, cursor.position, page.compressedBytes, "a page");
      checkPageData(page, bytes, leaf, sums.dictionaryValues, options.inflate);
      cursor.position += page.compressedBytes;
    } catch (cause) {
      if (isMillraceError(cause)) throw cause;
      const what =
        cause instanceof PageError ? cause.message : `cannot be read (${messageOf(cause).split("\n", 1)[0]})`;
      throw refuseFile(source.name, at, `a page of ${name} ${what}`, { cause });
    }
  }
  return sums.values;
}

/** Where the pages of a column are, as the footer says; outside of the data is an error. */
export function rangeOfColumn(
  file: string,
  column: ColumnMetaData,
  end: number,
): { readonly start: number; readonly stop: number } {
  const start = Number(column.dictionary_page_offset || column.data_page_offset);
  const stop = start + Number(column.total_compressed_size);
  if (start >= 4 && stop >= start && stop <= end) return { start, stop };
  const name = JSON.stringify(column.path_in_schema.join("."));
  throw refuseFile(file, undefined, `the column ${name} is announced at ${start} to ${stop}, outside the data`);
}

function checkSizes(page: PageHeader, left: number, codec: string): void {
  if (page.compressedBytes > left) throw new PageError("is longer than its column");
  const maxBytes = Math.min((largestGrowth[codec] ?? Infinity) * page.compressedBytes + 64, largestPage);
  if (page.uncompressedBytes > maxBytes) throw new PageError(`cannot become ${page.uncompressedBytes} bytes`);
  if (page.nulls > page.values) throw new PageError("has more nulls than values");
}

function addUp(
  sums: { values: number; bytes: number; dictionaryValues: number | undefined },
  page: PageHeader,
  maxGroupRows: number,
): void {
  sums.bytes += page.uncompressedBytes;
  if (page.kind === "dictionary") {
    if (page.values > page.uncompressedBytes) throw new PageError(`cannot hold ${page.values} values`);
    sums.dictionaryValues = page.values;
    return;
  }
  sums.values += page.values;
  if (sums.values > maxGroupRows + 8 * sums.bytes) throw new PageError(`brings its column to ${sums.values} values`);
}
