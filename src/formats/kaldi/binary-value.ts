import { arrayOfBytes, bytesOfArray } from "../array-bytes.ts";
import type { ByteCursor } from "../byte-cursor.ts";
import { countElements, layouts, type NdArray } from "../nd-array.ts";
import { readCompressedMatrix } from "./compressed-matrix.ts";
import type { KaldiValue } from "./kaldi-value.ts";

/** Every number in a binary header has its size in bytes before it. */
const int32Mark = 4;

/** A binary value, behind the mark of binary values. */
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
    if (byte < 0x21 || byte > 0x7e || token.length === 20) throw cursor.bad("the kind of the value should stand here");
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
  const bytes = cursor.takeOwn(countElements(shape) * layouts[dtype].itemBytes, what);
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

/** Gives room for so many bytes: new, or used again where the bytes are done with before the next call. */
export type Allocate = (bytes: number) => Buffer;

/** The bytes of a value with the mark of binary values, behind a key where there is one: one buffer for both. */
export function encodeBinaryValue(value: KaldiValue, key = "", allocate: Allocate = Buffer.allocUnsafe): Uint8Array {
  const start = Buffer.byteLength(key);
  const dimensions = value.shape.length;
  const isInteger = value.dtype === "int32";
  const header = isInteger ? 7 : 5 + dimensions * 5;
  const data = isInteger ? undefined : bytesOfArray(value);
  const bytes = allocate(start + header + (data === undefined ? 5 * value.data.length : data.length));
  bytes.write(key);
  bytes[start] = 0;
  bytes[start + 1] = 0x42;
  if (data === undefined) {
    writeInt32(bytes, start + 2, value.data.length);
    for (let i = 0; i < value.data.length; i++) writeInt32(bytes, start + header + i * 5, value.data[i]!);
    return bytes;
  }
  bytes[start + 2] = value.dtype === "float32" ? 0x46 : 0x44;
  bytes[start + 3] = dimensions === 2 ? 0x4d : 0x56;
  bytes[start + 4] = 0x20;
  for (let i = 0; i < dimensions; i++) writeInt32(bytes, start + 5 + i * 5, value.shape[i]!);
  bytes.set(data, start + header);
  return bytes;
}

function writeInt32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = int32Mark;
  bytes[at + 1] = value;
  bytes[at + 2] = value >> 8;
  bytes[at + 3] = value >> 16;
  bytes[at + 4] = value >> 24;
}
