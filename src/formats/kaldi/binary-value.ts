import { arrayOfBytes, bytesOfArray } from "../array-bytes.ts";
import type { ByteCursor } from "../byte-cursor.ts";
import { countElements, layouts, type NdArray } from "../nd-array.ts";
import { readCompressedMatrix } from "./compressed-matrix.ts";
import type { KaldiValue } from "./kaldi-value.ts";

/** Every number in a binary header is preceded by its size in bytes. */
const int32Mark = 4;

/** A binary value, after the mark of binary values. */
export function readBinaryValue(cursor: ByteCursor): KaldiValue {
  if (cursor.peek() === int32Mark) return readInt32Vector(cursor);
  const start = cursor.position;
  const token = readToken(cursor);
  if (token === "FM") return readFloats(cursor, "float32", 2);
  if (token === "DM") return readFloats(cursor, "float64", 2);
  if (token === "FV") return readFloats(cursor, "float32", 1);
  if (token === "DV") return readFloats(cursor, "float64", 1);
  if (token === "CM" || token === "CM2" || token === "CM3") return readCompressedMatrix(cursor, token);
  throw cursor.bad(`unknown kind of value: ${JSON.stringify(token)}; known are FM, DM, FV, DV, CM, CM2, CM3`, start);
}

function readToken(cursor: ByteCursor): string {
  let token = "";
  for (;;) {
    const byte = cursor.next();
    if (byte === 0x20) return token;
    // Longer ones belong to models, which are not read here.
    if (byte < 0x21 || byte > 0x7e || token.length === 20) throw cursor.bad("the kind of the value is expected here");
    token += String.fromCharCode(byte);
  }
}

function readInt32(cursor: ByteCursor, what: string): number {
  if (cursor.next() !== int32Mark) throw cursor.bad(`${what} should be an int32 of 4 bytes`, cursor.position - 1);
  const [a, b, c, d] = cursor.take(4, what);
  return a! | (b! << 8) | (c! << 16) | (d! << 24);
}

function readLength(cursor: ByteCursor, what: string): number {
  const length = readInt32(cursor, what);
  if (length < 0) throw cursor.bad(`${what} is negative: ${length}`, cursor.position - 4);
  return length;
}

function readFloats(cursor: ByteCursor, dtype: "float32" | "float64", rank: 1 | 2): KaldiValue {
  const shape = rank === 2 ? [readLength(cursor, "the number of rows")] : [];
  shape.push(readLength(cursor, rank === 2 ? "the number of columns" : "the length of the vector"));
  const what = `a ${rank === 2 ? "matrix" : "vector"} of ${shape.join(" x ")} (${dtype})`;
  const bytes = cursor.takeCopy(countElements(shape) * layouts[dtype].itemBytes, what);
  return { dtype, shape, data: arrayOfBytes(bytes, dtype) } as KaldiValue;
}

function readInt32Vector(cursor: ByteCursor): NdArray<"int32"> {
  const length = readLength(cursor, "the length of the vector");
  const start = cursor.position;
  const bytes = cursor.take(length * 5, `a vector of ${length} int32`);
  const data = new Int32Array(length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let i = 0, at = 0; i < length; i++, at += 5) {
    if (bytes[at] !== int32Mark) throw cursor.bad(`element ${i} should be an int32 of 4 bytes`, start + at);
    data[i] = view.getInt32(at + 1, true);
  }
  return { dtype: "int32", shape: [length], data };
}

/** The size of a value in bytes, including the mark of binary values. */
export function binaryValueBytes({ dtype, shape, data }: KaldiValue): number {
  return dtype === "int32" ? 7 + 5 * data.length : 5 + 5 * shape.length + data.byteLength;
}

/** The bytes of a value, including the mark of binary values. */
export function encodeBinaryValue(value: KaldiValue): Uint8Array {
  const bytes = Buffer.allocUnsafe(binaryValueBytes(value));
  putBinaryValue(bytes, 0, value);
  return bytes;
}

/** Writes a value into an existing buffer, so that a writer needs no buffer per value; returns its end. */
export function putBinaryValue(bytes: Uint8Array, start: number, value: KaldiValue): number {
  const { dtype, shape } = value;
  bytes[start] = 0;
  bytes[start + 1] = 0x42;
  if (dtype === "int32") {
    let at = putInt32(bytes, start + 2, value.data.length);
    for (let i = 0; i < value.data.length; i++) at = putInt32(bytes, at, value.data[i]!);
    return at;
  }
  bytes[start + 2] = dtype === "float32" ? 0x46 : 0x44;
  bytes[start + 3] = shape.length === 2 ? 0x4d : 0x56;
  bytes[start + 4] = 0x20;
  let at = start + 5;
  for (let i = 0; i < shape.length; i++) at = putInt32(bytes, at, shape[i]!);
  const data = bytesOfArray(value);
  bytes.set(data, at);
  return at + data.length;
}

function putInt32(bytes: Uint8Array, at: number, value: number): number {
  bytes[at] = int32Mark;
  bytes[at + 1] = value;
  bytes[at + 2] = value >> 8;
  bytes[at + 3] = value >> 16;
  bytes[at + 4] = value >> 24;
  return at + 5;
}
