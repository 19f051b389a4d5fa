import { type ArrayData, type DType, type NdArray, ndArray } from "../../formats.ts";
import { MillraceError } from "../../index.ts";
import type { BatchValue, SequenceValue } from "./collect-stats-env.ts";

export const lengthsSuffix = "_lengths";

/** The number of utterances of a batch value. */
export function batchCount(value: BatchValue): number {
  return isNdArray(value) ? (value.shape[0] ?? 0) : value.length;
}

/**
 * The value of a key of one utterance, as frames: the first dimension is time. With a length, the padding is cut off.
 * Without one, an entry of a padded array is a single frame, as in ESPnet; a separate array with two or more dimensions
 * has no padding and is used as a whole.
 */
export function sequenceOf(value: BatchValue, index: number, length: number | undefined, key: string): NdArray {
  if (!isNdArray(value)) return cut(toArray(value[index] as SequenceValue | bigint, key), length, key);
  const [, ...inner] = value.shape;
  const size = inner.reduce((product, dimension) => product * dimension, 1);
  const part = { ...value, shape: inner, data: subarray(value, index * size, size) } as NdArray;
  return length === undefined ? oneFrame(part) : cut(part, length, key);
}

function cut(array: NdArray, length: number | undefined, key: string): NdArray {
  const [rows, ...frame] = array.shape;
  if (length === undefined) return array.shape.length >= 2 ? array : oneFrame(array);
  if (rows !== undefined && length <= rows) {
    const size = frame.reduce((product, dimension) => product * dimension, 1);
    return { ...array, shape: [length, ...frame], data: subarray(array, 0, length * size) } as NdArray;
  }
  throw new MillraceError(
    "BAD_RECORD",
    `${key}${lengthsSuffix} says ${length}, but ${key} has ${rows ?? "no"} frames.`,
    {
      hint: `${key}${lengthsSuffix} holds the number of frames of each utterance before padding.`,
    },
  );
}

function oneFrame(array: NdArray): NdArray {
  return { ...array, shape: [1, ...array.shape] } as NdArray;
}

/** The numbers of a `_lengths` value. */
export function lengthOf(value: BatchValue, index: number, key: string): number {
  const data = isNdArray(value) ? value.data : value;
  const length = Number(data[index]);
  if (Number.isSafeInteger(length) && length >= 0) return length;
  throw new MillraceError(
    "BAD_RECORD",
    `${key}[${index}] is ${String(data[index])}; a number of frames was expected.`,
    { hint: "A value named _lengths holds, for each sample, how many of its frames count." },
  );
}

/** True if a value contains integers: a sequence of tokens, whose length is collected and whose sum is not. */
export function isInteger(value: BatchValue): boolean {
  const first = isNdArray(value) || ArrayBuffer.isView(value) ? value : value[0];
  if (first === undefined || typeof first === "number") return false;
  const dtype = isNdArray(first) ? first.dtype : ArrayBuffer.isView(first) ? dtypeOf(first) : "float32";
  return /^u?int/.test(dtype ?? "");
}

export function isNdArray(value: unknown): value is NdArray {
  return typeof value === "object" && value !== null && "dtype" in value && "shape" in value && "data" in value;
}

const dtypes = new Map<unknown, DType>([
  [Int8Array, "int8"],
  [Int16Array, "int16"],
  [Int32Array, "int32"],
  [BigInt64Array, "int64"],
  [Uint8Array, "uint8"],
  [Uint16Array, "uint16"],
  [Uint32Array, "uint32"],
  [BigUint64Array, "uint64"],
  [Float32Array, "float32"],
  [Float64Array, "float64"],
]);

function dtypeOf(view: ArrayBufferView): DType | undefined {
  return dtypes.get(view.constructor);
}

/** Any value of an utterance as an array with its shape. */
export function toArray(value: SequenceValue | bigint, key: string): NdArray {
  if (typeof value === "number") return ndArray("float64", Float64Array.of(value), []);
  if (typeof value === "bigint") return ndArray("int64", BigInt64Array.of(value), []);
  if (isNdArray(value)) return value;
  if (ArrayBuffer.isView(value)) {
    const dtype = dtypeOf(value);
    if (dtype !== undefined) return ndArray(dtype, value as ArrayData[DType]);
  } else if (value?.data instanceof Float32Array) {
    return ndArray("float32", value.data, [value.rows, value.columns]);
  }
  throw new MillraceError(
    "BAD_RECORD",
    `${key} holds ${typeof value === "object" ? "something" : typeof value} that is no array.`,
    {
      hint: "Give typed arrays, { dtype, shape, data }, { data, rows, columns } or numbers.",
    },
  );
}

function subarray({ dtype, data }: NdArray, from: number, size: number): ArrayData[DType] {
  const parts = dtype === "complex64" || dtype === "complex128" ? 2 : 1;
  return data.subarray(from * parts, (from + size) * parts);
}
