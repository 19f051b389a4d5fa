import { arrayOfBytes } from "../array-bytes.ts";
import { badFile } from "../bad-file.ts";
import { type Bytes, toByteSource } from "../byte-source.ts";
import { copyStrided, fortranStrides } from "../copy-strided.ts";
import { countElements, type NdArray } from "../nd-array.ts";
import { readNpyHeader } from "./read-npy-header.ts";

/**
 * The array of an npy file, always in C order. Shares the memory of the bytes if they are aligned. Bytes after the
 * array are an error: NumPy would ignore them, for example a second array.
 */
export function decodeNpy(input: Bytes, name?: string): NdArray {
  const source = toByteSource(input, name);
  const { dtype, shape, fortranOrder, littleEndian, dataOffset, dataBytes } = readNpyHeader(source);
  const end = dataOffset + dataBytes;
  if (end !== source.size) throw badFile(source.name, end, `${source.size - end} bytes follow the array`);
  const data = arrayOfBytes(source.read(dataOffset, dataBytes), dtype, littleEndian);
  if (!fortranOrder || shape.length < 2) return { dtype, shape, data } as NdArray;
  const view = { shape, strides: fortranStrides(shape), offset: 0 };
  return { dtype, shape, data: copyStrided(data, dtype, view, countElements(shape)) } as NdArray;
}
