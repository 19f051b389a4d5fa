import type { ByteWriter as ByteWriterClass, ParquetWriter as ParquetWriterClass } from "hyparquet-writer";
import { checkColumns, checkKeys, checkValue, type ParquetRow } from "./check-row.ts";
import { type ParquetColumn, parquetSchemaOf } from "./parquet-column.ts";

/** The columns of a Parquet file, and the size of its row groups. */
export interface ParquetOptions {
  readonly columns: readonly ParquetColumn[];
  /** The maximum number of rows in memory, written as one group. Default: 10,000. */
  readonly rowsPerGroup?: number;
  /** A group also ends when its strings, bytes and lists reach about this size. Default: 64 MiB. */
  readonly bytesPerGroup?: number;
}

/** Converts rows to the bytes of a file, group by group. */
export interface ParquetEncoder {
  /** Adds a row; returns bytes when a group is full. */
  add(row: ParquetRow): Uint8Array | undefined;
  /** The last group and the index at the end of the file. */
  end(): Uint8Array;
  readonly rows: number;
}

/** Creates an encoder; the library is loaded with the first one. */
export async function makeParquetEncoder(options: ParquetOptions): Promise<ParquetEncoder> {
  checkColumns(options.columns);
  const { ByteWriter, ParquetWriter } = await import("hyparquet-writer");
  return new GroupEncoder(options, new ByteWriter(), ParquetWriter);
}

/** A whole file as bytes. */
export async function encodeParquet(rows: Iterable<ParquetRow>, options: ParquetOptions): Promise<Uint8Array> {
  const encoder = await makeParquetEncoder(options);
  const pieces: Uint8Array[] = [];
  for (const row of rows) pieces.push(encoder.add(row) ?? empty);
  return Buffer.concat([...pieces.filter((piece) => piece.length > 0), encoder.end()]);
}

const empty = new Uint8Array(0);

class GroupEncoder implements ParquetEncoder {
  rows = 0;
  private readonly columns: readonly ParquetColumn[];
  private readonly rowsPerGroup: number;
  private readonly bytesPerGroup: number;
  private readonly buffer: ByteWriterClass;
  private readonly writer: ParquetWriterClass;
  private group: unknown[][];
  private groupRows = 0;
  private groupBytes = 0;

  constructor(options: ParquetOptions, buffer: ByteWriterClass, Writer: typeof ParquetWriterClass) {
    this.columns = options.columns;
    this.rowsPerGroup = options.rowsPerGroup ?? 10_000;
    this.bytesPerGroup = options.bytesPerGroup ?? 64 * 1024 * 1024;
    this.buffer = buffer;
    this.writer = new Writer({ writer: buffer, schema: parquetSchemaOf(options.columns) });
    this.group = this.columns.map(() => []);
  }

  add(row: ParquetRow): Uint8Array | undefined {
    checkKeys(row, this.columns, this.rows);
    // All values first: a row that is refused half-way would shift the columns against each other.
    const values = this.columns.map((column) => checkValue(row[column.name], column, this.rows));
    values.forEach((value, i) => {
      this.group[i]!.push(value);
      this.groupBytes += sizeOf(value);
    });
    this.rows++;
    this.groupRows++;
    return this.groupRows >= this.rowsPerGroup || this.groupBytes >= this.bytesPerGroup ? this.flush() : undefined;
  }

  end(): Uint8Array {
    const last = this.groupRows > 0 ? this.flush() : empty;
    this.writer.finish();
    return Buffer.concat([last, this.taken()]);
  }

  private flush(): Uint8Array {
    const columnData = this.columns.map(({ name }, i) => ({ name, data: this.group[i]! }));
    this.writer.write({ columnData, rowGroupSize: this.groupRows });
    this.group = this.columns.map(() => []);
    this.groupRows = 0;
    this.groupBytes = 0;
    return this.taken();
  }

  /** The bytes that the library wrote since the last call; its byte count continues. */
  private taken(): Uint8Array {
    const bytes = new Uint8Array(this.buffer.buffer, 0, this.buffer.index).slice();
    this.buffer.index = 0;
    return bytes;
  }
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (value instanceof Uint8Array) return value.length;
  return Array.isArray(value) ? 8 * value.length : 8;
}
