import type { AsyncBuffer, Compressors, FileMetaData, ParquetParsers } from "hyparquet";
import { isMillraceError, messageOf } from "../../errors/errors.ts";
import { OutputMeter, type OutputOptions, outputLimit, tooMuchOutput } from "../../input/output-limit.ts";
import type { ByteSource } from "../byte-source.ts";
import { HeldPieces, type PieceSource } from "../held-pieces.ts";
import { parseJson } from "../parse-json.ts";
import { refuseFile } from "../refuse-file.ts";
import { type CheckedGroup, checkFooter, checkMetadata, maxFooterBytes, topLevelNames } from "./check-metadata.ts";
import { checkPages, rangeOfColumn } from "./check-pages.ts";
import { ColumnChunks } from "./column-chunks.ts";
import { nestingCost } from "./column-cost.ts";
import { pageCodecs, RememberedPages } from "./page-codecs.ts";

/** Which columns of a Parquet file are read, and the maximum size of its groups: `maxOutputBytes` is per group. */
export interface ReadParquetOptions extends OutputOptions {
  /** The columns to read. Default: all. */
  readonly columns?: readonly string[];
  /** The maximum number of rows of a group, which is read as a whole. Default: 4,194,304. */
  readonly maxGroupRows?: number;
}

/** A Parquet file whose footer was read and checked; groups of rows are read on demand. */
export interface ParquetGroups {
  /** All columns of the file, in order. */
  readonly names: readonly string[];
  /** The number of rows of each group. */
  readonly rowCounts: readonly number[];
  /** The footer as it is in the file: it names every page. */
  readonly footer: Uint8Array;
  /** The notes of the program that wrote the file. */
  readonly notes: ReadonlyMap<string, string>;
  readGroup(index: number): Promise<ParquetGroup>;
}

/** The values of one group, and about how much memory they take. */
export interface ParquetGroup {
  readonly chunks: ColumnChunks;
  readonly bytes: number;
}

type Library = typeof import("hyparquet");

// Loaded with the first file, only once: with a custom module loader, an import costs more than a small file.
let library: Promise<Library> | undefined;

/** Reads and checks the footer of a file. */
export async function openParquetGroups(source: PieceSource, options: ReadParquetOptions = {}): Promise<ParquetGroups> {
  const limit = outputLimit(source.size, options);
  const ends = await holdEnds(source);
  const end = checkFooter(ends, limit);
  library ??= import("hyparquet");
  const hyparquet = await library;
  const { metadata, groups } = wrapped(source, end, () => {
    const footer = ends.read(end, source.size - end);
    const parsed = hyparquet.parquetMetadata(toArrayBuffer(footer), { geoparquet: false });
    return { metadata: parsed, groups: checkMetadata(parsed, ends, end) };
  });
  const names = topLevelNames(metadata.schema);
  const asked = options.columns === undefined ? undefined : new Set(options.columns);
  const reader = new GroupReader(source, hyparquet, {
    ...{ metadata, limit, end, maxGroupRows: options.maxGroupRows ?? 2 ** 22 },
    groups: groups.map((group) => (asked === undefined ? group : onlyColumns(group, asked))),
    names: names.filter((name) => asked?.has(name) ?? true),
    areAll: asked === undefined,
  });
  return {
    names,
    rowCounts: groups.map(({ rows }) => rows),
    footer: ends.read(end, source.size - end),
    notes: new Map((metadata.key_value_metadata ?? []).map(({ key, value }) => [key, value ?? ""])),
    readGroup: (index) => reader.read(index),
  };
}

// One read gets the footer of most files.
const usualFooterBytes = 64 * 1024;

/** The first bytes and the footer, in one or two reads. */
async function holdEnds(source: PieceSource): Promise<HeldPieces> {
  const { name, size } = source;
  if (size < 12) return new HeldPieces(name, [{ offset: 0, bytes: await source.read(0, size) }]);
  const head = await source.read(0, 4);
  const hold = async (length: number): Promise<Uint8Array> => source.read(size - length, length);
  let tail = await hold(Math.min(size - 4, usualFooterBytes));
  const footerBytes = Buffer.from(tail.buffer, tail.byteOffset, tail.length).readUInt32LE(tail.length - 8) + 8;
  // An impossible length is refused by the check of the footer.
  const isLonger = footerBytes > tail.length && footerBytes <= Math.min(size - 4, maxFooterBytes + 8);
  if (isLonger) tail = await hold(footerBytes);
  return new HeldPieces(name, [
    { offset: 0, bytes: head },
    { offset: size - tail.length, bytes: tail },
  ]);
}

interface GroupFacts {
  readonly metadata: FileMetaData;
  readonly groups: readonly CheckedGroup[];
  readonly names: readonly string[];
  readonly areAll: boolean;
  readonly limit: number;
  /** Where the data of the file end. */
  readonly end: number;
  readonly maxGroupRows: number;
}

class GroupReader {
  private readonly source: PieceSource;
  private readonly hyparquet: Library;
  private readonly facts: GroupFacts;
  private readonly codecs: Compressors;

  constructor(source: PieceSource, hyparquet: Library, facts: GroupFacts) {
    this.source = source;
    this.hyparquet = hyparquet;
    this.facts = facts;
    this.codecs = pageCodecs(hyparquet.snappyUncompress);
  }

  async read(index: number): Promise<ParquetGroup> {
    const { source, facts } = this;
    const group = facts.groups[index]!;
    const offset = startOf(group);
    const where = `${source.name}, offset ${offset}`;
    const what = `a group of ${group.rows} rows`;
    const meter = new OutputMeter(facts.limit, (limit) => tooMuchOutput("BAD_FILE", { where, what, limit }));
    const pages = new RememberedPages(this.codecs);
    const held = await this.fetch(group);
    this.check(group, held, { pages, meter });
    const chunks = new ColumnChunks(facts.names, nestedNames(group));
    await this.hyparquet
      .parquetRead({
        file: bufferOf(held, source.size),
        // One group at a time: the library reads everything that it is given.
        metadata: { ...facts.metadata, row_groups: [facts.metadata.row_groups[index]!] },
        rowEnd: group.rows,
        utf8: false,
        compressors: pages.compressors,
        parsers: parsersFor(source, offset, facts.limit),
        onChunk: (chunk) => chunks.add(chunk),
        ...(facts.areAll ? {} : { columns: [...facts.names] }),
      })
      .catch((cause: unknown) => throwWrapped(cause, source, offset));
    return { chunks, bytes: meter.spent };
  }

  /** The bytes of the columns; those beside each other in one read. */
  private async fetch(group: CheckedGroup): Promise<HeldPieces> {
    const { source, facts } = this;
    this.refuseLargeGroup(group);
    const ranges = group.columns
      .map(({ column }) => rangeOfColumn(source.name, column, facts.end))
      .sort((a, b) => a.start - b.start);
    const runs: { start: number; stop: number }[] = [];
    for (const { start, stop } of ranges) {
      const last = runs.at(-1);
      if (last !== undefined && start <= last.stop) last.stop = Math.max(last.stop, stop);
      else runs.push({ start, stop });
    }
    const pieces = runs.map(async ({ start, stop }) => ({
      offset: start,
      bytes: await source.read(start, stop - start),
    }));
    return new HeldPieces(source.name, await Promise.all(pieces));
  }

  private refuseLargeGroup({ rows }: CheckedGroup): void {
    const { end, maxGroupRows } = this.facts;
    if (rows <= maxGroupRows) return;
    const what = `a group of ${rows} rows is larger than maxGroupRows (${maxGroupRows})`;
    throw refuseFile(this.source.name, end, what, {
      hint: "Raise maxGroupRows if the file is valid and the memory suffices.",
    });
  }

  private check(
    group: CheckedGroup,
    held: HeldPieces,
    { pages, meter }: { pages: RememberedPages; meter: OutputMeter },
  ): void {
    const { end, maxGroupRows } = this.facts;
    for (const { column, leaf } of group.columns) {
      const inflate = pages.inflateOf(column.codec);
      if (inflate === undefined) {
        throw refuseFile(held.name, end, `is compressed with ${column.codec}, which is not read here`, {
          hint: "Write it with snappy, gzip or no compression. Node.js 22.15 and newer reads zstd as well.",
        });
      }
      meter.spend(nestingCost(group.rows, leaf));
      const values = checkPages(held, column, leaf, { end, maxGroupRows, inflate, meter });
      if (values < group.rows) {
        const what = `the column ${JSON.stringify(column.path_in_schema.join("."))} has ${values} values`;
        throw refuseFile(held.name, startOf(group), `${what} for ${group.rows} rows`);
      }
    }
  }
}

function onlyColumns({ rows, columns }: CheckedGroup, names: ReadonlySet<string>): CheckedGroup {
  return { rows, columns: columns.filter(({ leaf }) => names.has(leaf.path.split("\0", 1)[0]!)) };
}

function nestedNames({ columns }: CheckedGroup): ReadonlySet<string> {
  const nested = columns.filter(({ leaf }) => leaf.depth > 1 || leaf.maxRepetition > 0);
  return new Set(nested.map(({ leaf }) => leaf.path.split("\0", 1)[0]!));
}

function startOf({ columns }: CheckedGroup): number {
  const [first] = columns;
  return first === undefined ? 0 : Number(first.column.dictionary_page_offset || first.column.data_page_offset);
}

/** The held pieces in the form that the library reads. */
function bufferOf(held: ByteSource, size: number): AsyncBuffer {
  return {
    byteLength: size,
    slice: (start, end = size) => toArrayBuffer(held.read(start, Math.max(0, end - start))),
  };
}

/** The library reads whole buffers: a piece of one is copied. */
function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = bytes;
  if (buffer instanceof ArrayBuffer && byteOffset === 0 && byteLength === buffer.byteLength) return buffer;
  return new Uint8Array(bytes).buffer;
}

function wrapped<T>(source: PieceSource, offset: number, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    return throwWrapped(cause, source, offset);
  }
}

/** The library throws plain errors, and RangeErrors of typed arrays when it reads beyond an end. */
function throwWrapped(cause: unknown, source: PieceSource, offset: number): never {
  if (isMillraceError(cause)) throw cause;
  throw refuseFile(source.name, offset, `cannot be read as Parquet (${messageOf(cause).split("\n", 1)[0]})`, { cause });
}

/** Geometry values stay bytes: their parsers trust any count. A JSON value has the limits of all JSON. */
function parsersFor({ name: file }: PieceSource, offset: number, limit: number): Partial<ParquetParsers> {
  return {
    geometryFromBytes: (bytes) => bytes,
    geographyFromBytes: (bytes) => bytes,
    jsonFromBytes: (bytes: Uint8Array | undefined) =>
      bytes && parseJson(new TextDecoder().decode(bytes), { file, offset, what: "a value of JSON", limit }),
  };
}
