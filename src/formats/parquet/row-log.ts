import { ByteCursor } from "../byte-cursor.ts";
import type { ByteSource } from "../byte-source.ts";
import { checkKeys, checkValue, type ParquetRow } from "./check-row.ts";
import { listElement, type ParquetColumn, type ParquetScalar } from "./parquet-column.ts";

// A row in the log: for each column a byte for whether there is a value, then the value. Strings, bytes and lists begin
// with their length; all numbers are little-endian and as wide as in the final file.

/** Encodes rows as bytes that can be appended and truncated between any two rows, which a Parquet file cannot. */
export class RowEncoder {
  private readonly columns: readonly ParquetColumn[];
  private buffer = Buffer.allocUnsafeSlow(1 << 12);
  private length = 0;

  constructor(columns: readonly ParquetColumn[]) {
    this.columns = columns;
  }

  /** The bytes of a row, valid until the next call; a row that cannot be written is refused with its number. */
  encode(row: ParquetRow, number: number): Uint8Array {
    checkKeys(row, this.columns, number);
    // All values first: a refused row must leave nothing behind.
    const values = this.columns.map((column) => checkValue(row[column.name], column, number));
    this.length = 0;
    for (const [i, value] of values.entries()) this.putColumn(value, this.columns[i]!);
    return this.buffer.subarray(0, this.length);
  }

  private putColumn(value: unknown, { type }: ParquetColumn): void {
    this.length = this.reserve(1).writeUInt8(value === null ? 0 : 1, this.length);
    if (value === null) return;
    const element = listElement(type);
    if (element === undefined) {
      this.putScalar(value, type as ParquetScalar);
      return;
    }
    const items = value as readonly unknown[];
    this.length = this.reserve(4).writeUInt32LE(items.length, this.length);
    for (const item of items) this.putScalar(item, element);
  }

  private putScalar(value: unknown, type: ParquetScalar): void {
    if (type === "string") this.putBytes(Buffer.from(value as string));
    else if (type === "binary") this.putBytes(value as Uint8Array);
    else if (type === "bool") this.length = this.reserve(1).writeUInt8(value === true ? 1 : 0, this.length);
    else if (type === "int32") this.length = this.reserve(4).writeInt32LE(value as number, this.length);
    else if (type === "float32") this.length = this.reserve(4).writeFloatLE(value as number, this.length);
    else if (type === "float64") this.length = this.reserve(8).writeDoubleLE(value as number, this.length);
    else this.length = this.reserve(8).writeBigInt64LE(value as bigint, this.length);
  }

  private putBytes(bytes: Uint8Array): void {
    const buffer = this.reserve(4 + bytes.length);
    buffer.set(bytes, buffer.writeUInt32LE(bytes.length, this.length));
    this.length += 4 + bytes.length;
  }

  /** The buffer, with space for `bytes` more. */
  private reserve(bytes: number): Buffer {
    if (this.length + bytes <= this.buffer.length) return this.buffer;
    const larger = Buffer.allocUnsafeSlow(2 * (this.length + bytes));
    larger.set(this.buffer.subarray(0, this.length));
    this.buffer = larger;
    return larger;
  }
}

/** The rows of a log, one by one. */
export function* decodeRows(source: ByteSource, columns: readonly ParquetColumn[]): Generator<ParquetRow> {
  const cursor = new ByteCursor(source);
  while (!cursor.atEnd) {
    // Without a prototype: a column may be named __proto__.
    const row: Record<string, unknown> = Object.create(null);
    for (const column of columns) row[column.name] = takeColumn(cursor, column);
    yield row;
  }
}

function takeColumn(cursor: ByteCursor, { type }: ParquetColumn): unknown {
  if (cursor.next() !== 1) return null;
  const element = listElement(type);
  if (element === undefined) return takeScalar(cursor, type as ParquetScalar);
  return Array.from({ length: takeLength(cursor) }, () => takeScalar(cursor, element));
}

function takeScalar(cursor: ByteCursor, type: ParquetScalar): unknown {
  if (type === "string") return Buffer.from(take(cursor, takeLength(cursor))).toString("utf8");
  if (type === "binary") return cursor.takeCopy(takeLength(cursor), "a value");
  if (type === "bool") return cursor.next() === 1;
  if (type === "int32") return take(cursor, 4).readInt32LE();
  if (type === "float32") return take(cursor, 4).readFloatLE();
  if (type === "float64") return take(cursor, 8).readDoubleLE();
  return take(cursor, 8).readBigInt64LE();
}

function takeLength(cursor: ByteCursor): number {
  return take(cursor, 4).readUInt32LE();
}

function take(cursor: ByteCursor, bytes: number): Buffer {
  const piece = cursor.take(bytes, "a row");
  return Buffer.from(piece.buffer, piece.byteOffset, piece.length);
}
