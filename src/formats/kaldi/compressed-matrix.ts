import type { ByteCursor } from "../byte-cursor.ts";
import type { NdArray } from "../nd-array.ts";
import { requireBytes } from "../read-bytes.ts";

type CompressedKind = "CM" | "CM2" | "CM3";

interface Header {
  readonly min: number;
  readonly range: number;
  readonly rows: number;
  readonly columns: number;
}

const headerBytes = 16;
const { fround } = Math;

/**
 * A matrix that Kaldi compressed to one or two bytes per element: CM has four percentiles per column and bytes by
 * column, CM2 and CM3 are linear. Each step is rounded to float32 where Kaldi's is, so the values equal Kaldi's to the
 * last bit.
 */
export function readCompressedMatrix(cursor: ByteCursor, kind: CompressedKind): NdArray<"float32"> {
  const header = readHeader(cursor);
  const { rows, columns } = header;
  if (columns === 0) return readEmpty(cursor, kind);
  const bytes = kind === "CM" ? 8 * columns + rows * columns : rows * columns * (kind === "CM2" ? 2 : 1);
  const what = `a compressed matrix of ${rows} x ${columns}`;
  requireBytes(cursor.source, cursor.position, bytes, what);
  const packed = cursor.take(bytes, what);
  const data = new Float32Array(rows * columns);
  if (kind === "CM") fillFromPercentiles(data, packed, header);
  else fillLinearly(data, packed, header, kind);
  return { dtype: "float32", shape: [rows, columns], data };
}

function readHeader(cursor: ByteCursor): Header {
  const start = cursor.position;
  const bytes = cursor.take(headerBytes, "the header of a compressed matrix");
  const view = new DataView(bytes.buffer, bytes.byteOffset, headerBytes);
  const [rows, columns] = [view.getInt32(8, true), view.getInt32(12, true)];
  if (rows < 0 || columns < 0) throw cursor.bad(`a compressed matrix cannot be ${rows} x ${columns}`, start + 8);
  return { min: view.getFloat32(0, true), range: view.getFloat32(4, true), rows, columns };
}

/**
 * Kaldi writes four extra bytes for an empty matrix; a key never begins with a zero byte, so they can be recognised.
 */
function readEmpty(cursor: ByteCursor, kind: CompressedKind): NdArray<"float32"> {
  for (let i = 0; kind === "CM" && i < 4 && cursor.peek() === 0; i++) cursor.next();
  return { dtype: "float32", shape: [0, 0], data: new Float32Array(0) };
}

function fillFromPercentiles(data: Float32Array, packed: Uint8Array, { min, range, rows, columns }: Header): void {
  const step = fround(range * fround(1.52590218966964e-5));
  const table = new Float32Array(256);
  const percentiles = new Float32Array(4);
  for (let column = 0, at = 8 * columns; column < columns; column++) {
    for (let i = 0; i < 4; i++) {
      const low = packed[column * 8 + i * 2]! | (packed[column * 8 + i * 2 + 1]! << 8);
      percentiles[i] = min + fround(step * low);
    }
    // A table has 256 entries per column; short columns are computed element by element.
    const values = rows < 256 ? undefined : fillTable(table, percentiles);
    for (let row = 0; row < rows; row++, at++) {
      const code = packed[at]!;
      data[row * columns + column] = values === undefined ? decode(code, percentiles) : values[code]!;
    }
  }
}

function fillTable(table: Float32Array, percentiles: Float32Array): Float32Array {
  for (let code = 0; code < 256; code++) table[code] = decode(code, percentiles);
  return table;
}

function decode(code: number, percentiles: Float32Array): number {
  const [p0 = 0, p25 = 0, p75 = 0, p100 = 0] = percentiles;
  if (code <= 64) return p0 + fround(fround(p25 - p0) * code) * (1 / 64);
  if (code <= 192) return p25 + fround(fround(p75 - p25) * (code - 64)) * (1 / 128);
  return p75 + fround(fround(p100 - p75) * (code - 192)) * (1 / 63);
}

function fillLinearly(data: Float32Array, packed: Uint8Array, { min, range }: Header, kind: "CM2" | "CM3"): void {
  const step = fround(range * (kind === "CM2" ? 1 / 65535 : 1 / 255));
  for (let i = 0; i < data.length; i++) {
    const code = kind === "CM2" ? packed[2 * i]! | (packed[2 * i + 1]! << 8) : packed[i]!;
    data[i] = min + fround(code * step);
  }
}
