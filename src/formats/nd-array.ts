import { MillraceError } from "../errors/errors.ts";

/**
 * The typed array of each element type. Booleans are bytes 0 and 1; float16 and bfloat16 are their bits (see
 * `toFloat32`); a complex number is two floats, real part first.
 */
export interface ArrayData {
  bool: Uint8Array;
  int8: Int8Array;
  int16: Int16Array;
  int32: Int32Array;
  int64: BigInt64Array;
  uint8: Uint8Array;
  uint16: Uint16Array;
  uint32: Uint32Array;
  uint64: BigUint64Array;
  float16: Uint16Array;
  bfloat16: Uint16Array;
  float32: Float32Array;
  float64: Float64Array;
  complex64: Float32Array;
  complex128: Float64Array;
}

/** The name of an element type, as NumPy and PyTorch call it. */
export type DType = keyof ArrayData;

/** A dense array in C order: the last index changes fastest. No dimensions (`shape: []`) is one number. */
export type NdArray<D extends DType = DType> = {
  [K in D]: { readonly dtype: K; readonly shape: readonly number[]; readonly data: ArrayData[K] };
}[D];

export type NumberArray = ArrayData[DType];

interface NumberArrayClass {
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): NumberArray;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): NumberArray;
}

interface Layout {
  readonly arrayClass: NumberArrayClass;
  /** Numbers of the typed array per element: 2 for complex types. */
  readonly parts: 1 | 2;
  readonly itemBytes: number;
}

const layout = (arrayClass: unknown, parts: 1 | 2 = 1): Layout => ({
  arrayClass: arrayClass as NumberArrayClass,
  parts,
  itemBytes: (arrayClass as NumberArrayClass).BYTES_PER_ELEMENT * parts,
});

/** The memory layout of each element type. */
export const layouts: Readonly<Record<DType, Layout>> = {
  bool: layout(Uint8Array),
  int8: layout(Int8Array),
  int16: layout(Int16Array),
  int32: layout(Int32Array),
  int64: layout(BigInt64Array),
  uint8: layout(Uint8Array),
  uint16: layout(Uint16Array),
  uint32: layout(Uint32Array),
  uint64: layout(BigUint64Array),
  float16: layout(Uint16Array),
  bfloat16: layout(Uint16Array),
  float32: layout(Float32Array),
  float64: layout(Float64Array),
  complex64: layout(Float32Array, 2),
  complex128: layout(Float64Array, 2),
};

/** A typed array as an array of one dimension, or of the given shape. */
export function ndArray<D extends DType>(dtype: D, data: ArrayData[D], shape?: readonly number[]): NdArray<D> {
  // A union over all dtypes: for a type parameter the compiler cannot pair each dtype with the type of its data.
  const array = { dtype, shape: shape ?? [data.length / layouts[dtype].parts], data } as unknown as NdArray<D>;
  checkNdArray(array as NdArray);
  return array;
}

/** True if a value is meant as an array; `checkNdArray` checks it. */
export function isNdArray(value: unknown): value is NdArray {
  if (typeof value !== "object" || value === null) return false;
  return "dtype" in value && "shape" in value && "data" in value && ArrayBuffer.isView(value.data);
}

/** The number of elements of a shape; infinity if the product is not exact. */
export function countElements(shape: readonly number[]): number {
  if (shape.includes(0)) return 0;
  let count = 1;
  for (const dimension of shape) count *= dimension;
  return count <= Number.MAX_SAFE_INTEGER ? count : Number.POSITIVE_INFINITY;
}

/** Refuses an array whose parts do not match, before half of it is in a file. */
export function checkNdArray({ dtype, shape, data }: NdArray): void {
  const expected = layouts[dtype] as Layout | undefined;
  if (expected === undefined) throw badArray(`there is no element type ${JSON.stringify(dtype)}`);
  for (const dimension of shape) {
    if (!Number.isSafeInteger(dimension) || dimension < 0) throw badArray(`its shape is [${shape.join(", ")}]`);
  }
  if (!(data instanceof expected.arrayClass)) {
    throw badArray(`${dtype} needs a ${expected.arrayClass.name}, not ${nameOf(data)}`);
  }
  const numbers = countElements(shape) * expected.parts;
  if (data.length !== numbers) {
    throw badArray(`the shape [${shape.join(", ")}] of ${dtype} needs ${numbers} numbers, ${data.length} are there`);
  }
}

function badArray(problem: string): MillraceError {
  return new MillraceError("BAD_RECORD", `An array cannot be written: ${problem}.`, {
    hint: "An array is { dtype, shape, data } with data in a typed array; ndArray(dtype, data, shape) makes one.",
  });
}

function nameOf(value: unknown): string {
  return typeof value === "object" && value !== null ? value.constructor.name : typeof value;
}
