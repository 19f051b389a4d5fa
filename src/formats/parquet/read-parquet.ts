import * as zlib from "node:zlib";
import type { AsyncBuffer, Compressors, ParquetParsers } from "hyparquet";
import { isMillraceError, messageOf } from "../../errors/errors.ts";
import { OutputMeter, type OutputOptions, outputLimit, tooMuchOutput } from "../../input/output-limit.ts";
import { type ByteSource, type Bytes, toByteSource } from "../byte-source.ts";
import { parseJson } from "../parse-json.ts";
import { readBytes } from "../read-bytes.ts";
import { refuseFile } from "../refuse-file.ts";
import { type CheckedGroup, checkFooter, checkMetadata, topLevelNames } from "./check-metadata.ts";
import type { Inflate } from "./check-page-data.ts";
import { checkPages } from "./check-pages.ts";
import { ColumnChunks } from "./column-chunks.ts";
import { nestingCost } from "./column-cost.ts";

/** Which columns of a Parquet file are read, and the maximum size of its groups: `maxOutputBytes` is per group. */
export interface ReadParquetOptions extends OutputOptions {
  /** The columns to read. Default: all. */
  readonly columns?: readonly string[];
  /** The maximum number of rows of a group, which is read as a whole. Default: 4,194,304. */
  readonly maxGroupRows?: number;
}

// Loaded with the first file, only once: with a custom module loader, an import costs more than a small file.
let library: Promise<typeof import("hyparquet")> | undefined;

/** The rows of a file, one group in memory at a time. int64 is bigint, binary is Uint8Array. */
export async function* readParquet<Row = Record<string, unknown>>(
  input: Bytes,
  options: ReadParquetOptions = {},
): AsyncGenerator<Row> {
  const source = toByteSource(input);
  const { maxGroupRows = 2 ** 22 } = options;
  const limit = outputLimit(source.size, options);
  const footer = checkFooter(source, limit);
  library ??= import("hyparquet");
  const { parquetMetadata, parquetRead, snappyUncompress } = await library;
  const { metadata, groups } = wrapped(source, footer, () => {
    const parsed = parquetMetadata(sliceOf(source, footer, source.size), { geoparquet: false });
    return { metadata: parsed, groups: checkMetadata(parsed, source, footer) };
  });
  const file: AsyncBuffer = { byteLength: source.size, slice: (start, end) => sliceOf(source, start, end) };
  const inflateSnappy: Inflate = (bytes, length) => {
    const output = new Uint8Array(length);
    snappyUncompress(bytes, output);
    return output;
  };
  const asked = options.columns === undefined ? undefined : new Set(options.columns);
  const names = topLevelNames(metadata.schema).filter((name) => asked?.has(name) ?? true);
  for (const [i, group] of groups.entries()) {
    const wanted = asked === undefined ? group : onlyColumns(group, asked);
    const meter = groupMeter(source, group, limit);
    const codecs = { SNAPPY: inflateSnappy, ...compressors };
    checkGroup(source, wanted, { end: footer, maxGroupRows, compressors: codecs, meter });
    const chunks = new ColumnChunks(names);
    await parquetRead({
      file,
      // One group at a time: the library reads everything that it is given.
      metadata: { ...metadata, row_groups: [metadata.row_groups[i]!] },
      rowEnd: group.rows,
      utf8: false,
      compressors,
      parsers: parsersFor(source, startOf(group), limit),
      onChunk: (chunk) => chunks.add(chunk),
      ...(asked === undefined ? {} : { columns: names }),
    }).catch((cause: unknown) => throwWrapped(cause, source, startOf(group)));
    yield* chunks.rows<Row>(group.rows);
  }
}

function onlyColumns({ rows, columns }: CheckedGroup, names: ReadonlySet<string>): CheckedGroup {
  return { rows, columns: columns.filter(({ leaf }) => names.has(leaf.path.split("\0", 1)[0]!)) };
}

function groupMeter(source: ByteSource, group: CheckedGroup, limit: number): OutputMeter {
  const where = `${source.name}, offset ${startOf(group)}`;
  const what = `a group of ${group.rows} rows`;
  return new OutputMeter(limit, () => tooMuchOutput("BAD_FILE", { where, what, limit }));
}

interface GroupLimits {
  readonly end: number;
  readonly maxGroupRows: number;
  readonly compressors: Compressors;
  readonly meter: OutputMeter;
}

function checkGroup(source: ByteSource, group: CheckedGroup, limits: GroupLimits): void {
  const { end, maxGroupRows, compressors, meter } = limits;
  if (group.rows > maxGroupRows) {
    throw refuseFile(source.name, end, `a group of ${group.rows} rows is larger than maxGroupRows (${maxGroupRows})`, {
      hint: "Raise maxGroupRows if the file is valid and the memory suffices.",
    });
  }
  for (const { column, leaf } of group.columns) {
    const inflate = inflateOf(column.codec, compressors);
    if (inflate === undefined) {
      throw refuseFile(source.name, end, `is compressed with ${column.codec}, which is not read here`, {
        hint: "Write it with snappy, gzip or no compression. Node.js 22.15 and newer reads zstd as well.",
      });
    }
    meter.spend(nestingCost(group.rows, leaf));
    const values = checkPages(source, column, leaf, { end, maxGroupRows, inflate, meter });
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

/** The library throws plain errors, and RangeErrors of typed arrays when it reads beyond an end. */
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

/** The decompression of Node.js; snappy is part of the library. */
const compressors: Compressors = {
  GZIP: limited(zlib.gunzipSync),
  BROTLI: limited(zlib.brotliDecompressSync),
  ...(zstdDecompressSync !== undefined && { ZSTD: limited(zstdDecompressSync) }),
};

/** Geometry values stay bytes: their parsers trust any count. A JSON value has the limits of all JSON. */
function parsersFor({ name: file }: ByteSource, offset: number, limit: number): Partial<ParquetParsers> {
  return {
    geometryFromBytes: (bytes) => bytes,
    geographyFromBytes: (bytes) => bytes,
    jsonFromBytes: (bytes: Uint8Array | undefined) =>
      bytes && parseJson(new TextDecoder().decode(bytes), { file, offset, what: "a value of JSON", limit }),
  };
}
