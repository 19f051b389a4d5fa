import { type DType, layouts, type NdArray, type NumberArray } from "./nd-array.ts";

// Files are usually little-endian, and so is almost every machine; on a big-endian machine bytes are swapped.
const hostIsLittle = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** The bytes of an array in little-endian order; on most machines a view of the array's memory. */
export function bytesOfArray({ dtype, data }: NdArray): Uint8Array {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return hostIsLittle ? bytes : swapped(bytes, layouts[dtype].arrayClass.BYTES_PER_ELEMENT);
}

/**
 * Bytes as numbers. Shares the memory if the bytes are aligned and in the machine's order; otherwise they are copied
 * once.
 */
export function arrayOfBytes(bytes: Uint8Array, dtype: DType, littleEndian = true): NumberArray {
  const { arrayClass } = layouts[dtype];
  const size = arrayClass.BYTES_PER_ELEMENT;
  let aligned = bytes;
  if (size > 1 && littleEndian !== hostIsLittle) aligned = swapped(bytes, size);
  else if (bytes.byteOffset % size !== 0) aligned = new Uint8Array(bytes);
  return new arrayClass(aligned.buffer, aligned.byteOffset, aligned.byteLength / size);
}

function swapped(bytes: Uint8Array, size: number): Uint8Array {
  const copy = Buffer.from(new Uint8Array(bytes).buffer);
  if (size === 2) return copy.swap16();
  if (size === 4) return copy.swap32();
  return size === 8 ? copy.swap64() : copy;
}
