import * as zlib from "node:zlib";
import type { AsyncBuffer, Compressors } from "hyparquet";
import { isMillraceError, messageOf } from "../../shared/errors.ts";
import { type ByteSource, type Bytes, toByteSource } from "../byte-source.ts";
import { readBytes } from "../read-bytes.ts";
import { refuseFile } from "../refuse-file.ts";
import { type CheckedGroup, checkFooter, checkMetadata } from "./check-metadata.ts";
import type { Inflate } from "./check-page-data.ts";
import { checkPages } from "./check-pages.ts";

/** Which columns of a Parquet file are read, and how large its groups may be. */
export interface ReadParquetOptions {
  /** The columns to read. Default: all. */
  readonly columns?: readonly string[];
  /** The most rows of a group, which is read as a whole. Default: 4,194,304. */
  readonly maxGroupRows?: number;
}

/** The rows of a file, one group of them in memory at a time. int64 comes as bigint, binary as Uint8Array. */
export async function* readParquet<Row = Record<string, unknown>>(
  input: Bytes,
  options: ReadParquetOptions = {},
): AsyncGenerator<Row> {
  const source = toByteSource(input);
  const { maxGroupRows = 2 ** 22 } = options;
  const footer = checkFooter(source);
  const { parquetMetadata, parquetReadObjects, snappyUncompress } = await import("hyparquet");
  const { metadata, groups } = wrapped(source, footer, () => {
    const parsed = parquetMetadata(sliceOf(source, footer, source.size), { geoparquet: false });
    return { metadata: parsed, groups: checkMetadata(parsed, source, footer) };
  });
  const file: AsyncBuffer = { byteLength: source.size, slice: (start, end) => sliceOf(source, start, end) };
  let rowStart = 0;
  for (const group of groups) {
    const inflateSnappy: Inflate = (bytes, length) => {
      const output = new Uint8Array(length);
      snappyUncompress(bytes, output);
      return output;
    };
    checkGroup(source, group, { end: footer, maxGroupRows, compressors: { SNAPPY: inflateSnappy, ...compressors } });
    const rowEnd = rowStart + group.rows;
    const columns = options.columns === undefined ? {} : { columns: [...options.columns] };
    const wanted = { file, metadata, rowStart, rowEnd, utf8: false, compressors, parsers, ...columns };
    const rows = await parquetReadObjects(wanted).catch((cause: unknown) =>
      throwWrapped(cause, source, startOf(group)),
    );
    if (rows.length !== group.rows) throw refuseFile(source.name, startOf(group), `a group has ${rows.length} rows`);
    for (const row of rows) yield withNulls(row) as Row;
    rowStart = rowEnd;
  }
}

interface GroupLimits {
  readonly end: number;
  readonly maxGroupRows: number;
  readonly compressors: Compressors;
}

function checkGroup(source: ByteSource, group: CheckedGroup, { end, maxGroupRows, compressors }: GroupLimits): void {
  if (group.rows > maxGroupRows) {
    throw refuseFile(source.name, end, `a group of ${group.rows} rows is larger than maxGroupRows (${maxGroupRows})`, {
      hint: "Raise maxGroupRows if the file is sound and the memory suffices.",
    });
  }
  for (const { column, leaf } of group.columns) {
    const inflate = inflateOf(column.codec, compressors);
    if (inflate === undefined) {
      throw refuseFile(source.name, end, `is compressed with ${column.codec}, which is not read here`, {
        hint: "Write it with snappy, gzip or no compression. Node.js 22.15 and newer reads zstd as well.",
      });
    }
    const values = checkPages(source, column, leaf, { end, maxGroupRows, inflate });
    if (values < group.rows) {
      const what = `the column ${JSON.stringify(column.path_in_schema.join("."))} has ${values} values`;
      throw refuseFile(source.name, startOf(group), `${what} for ${group.rows} rows`);
    }
  }
}

function inflateOf(codec: string, compressors: Compressors): Inflate | undefined {
  if (codec === "UNCOMPRESSED") return (bytes) => bytes;
  const inflate = compressors[codec as keyof Compressors];
  return inflate === undefined ? undefined : (bytes, length) => inflate(bytes, length);
}

/** The library has null in some places and undefined in others for what is missing. */
function withNulls(row: Record<string, unknown>): Record<string, unknown> {
  for (const name of Object.keys(row)) row[name] ??= null;
  return row;
}

function startOf({ columns }: CheckedGroup): number {
  const [first] = columns;
  return first === undefined ? 0 : Number(first.column.dictionary_page_offset || first.column.data_page_offset);
}

function sliceOf(source: ByteSource, start: number, end: number = source.size): ArrayBuffer {
  return readBytes(source, start, Math.max(0, end - start), "a piece").buffer;
}

function wrapped<T>(source: ByteSource, offset: number, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    return throwWrapped(cause, source, offset);
  }
}

/** The library throws plain errors, and those of typed arrays where it reads beyond an end. */
function throwWrapped(cause: unknown, source: ByteSource, offset: number): never {
  if (isMillraceError(cause)) throw cause;
  throw refuseFile(source.name, offset, `cannot be read as Parquet (${messageOf(cause).split("\n", 1)[0]})`, { cause });
}

type InflateSync = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

const { zstdDecompressSync } = zlib as { readonly zstdDecompressSync?: InflateSync };
const limited =
  (inflate: InflateSync): Inflate =>
  (bytes, length) =>
    inflate(bytes, { maxOutputLength: Math.max(1, length) });

/** What Node.js can decompress by itself; snappy is in the library. */
const compressors: Compressors = {
  GZIP: limited(zlib.gunzipSync),
  BROTLI: limited(zlib.brotliDecompressSync),
  ...(zstdDecompressSync !== undefined && { ZSTD: limited(zstdDecompressSync) }),
};

/** Shapes on maps stay bytes: their parsers take any count as it comes. */
const parsers = { geometryFromBytes: (bytes: Uint8Array) => bytes, geographyFromBytes: (bytes: Uint8Array) => bytes };
