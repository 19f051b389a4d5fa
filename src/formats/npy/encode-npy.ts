import { MillraceError } from "../../errors/errors.ts";
import { bytesOfArray } from "../array-bytes.ts";
import { checkNdArray, type DType, type NdArray } from "../nd-array.ts";
import { descrOfDtype } from "./npy-dtype.ts";

/** An array as an npy file, byte for byte as `numpy.save` writes it. */
export function encodeNpy(array: NdArray): Buffer {
  checkNdArray(array);
  const header = cachedHeader(array);
  const data = bytesOfArray(array);
  const file = Buffer.allocUnsafe(header.length + data.length);
  file.set(header);
  file.set(data, header.length);
  return file;
}

/** The two pieces of an npy file, to write large arrays without a copy. */
export function npyPieces(array: NdArray): [header: Buffer, data: Uint8Array] {
  checkNdArray(array);
  return [cachedHeader(array), bytesOfArray(array)];
}

// The vectors of a data set usually have one shape, so the last header is almost always reusable.
let last: { dtype: DType; shape: readonly number[]; header: Buffer } | undefined;

function cachedHeader({ dtype, shape }: NdArray): Buffer {
  if (last?.dtype === dtype && last.shape.length === shape.length && last.shape.every((n, i) => n === shape[i])) {
    return last.header;
  }
  const header = npyHeader(dtype, shape);
  last = { dtype, shape: [...shape], header };
  return header;
}

// NumPy reserves this many digits for the first dimension, so that a header can be updated when rows are appended.
const growthDigits = 21;
const align = 64;

/** The header of an array in C order. Its length does not depend on the first dimension. */
export function npyHeader(dtype: DType, shape: readonly number[]): Buffer {
  const descr = descrOfDtype(dtype);
  if (descr === undefined) {
    throw new MillraceError("BAD_RECORD", `NumPy has no ${dtype}, so an npy file cannot hold it.`, {
      hint: "Convert it with toFloat32, or write a .pt file.",
    });
  }
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const spaces = shape.length === 0 ? 0 : growthDigits - String(shape[0]).length;
  const dict = `{'descr': '${descr}', 'fortran_order': False, 'shape': ${tuple}, }${" ".repeat(spaces)}`;
  // Magic, version and length are 10 bytes, and the text ends with a newline.
  const padding = align - ((10 + dict.length + 1) % align);
  const header = Buffer.alloc(10 + dict.length + padding + 1, " ");
  header.write("\x93NUMPY\x01\x00", "latin1");
  header.writeUInt16LE(header.length - 10, 8);
  header.write(dict, 10, "latin1");
  header[header.length - 1] = 0x0a;
  return header;
}
