import type { DType, NdArray } from "./nd-array.ts";

const scratch = new Float32Array(1);
const scratchBits = new Uint32Array(scratch.buffer);

/** The number of 16 bits of IEEE half precision. */
export function float16ToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** The 16 bits of half precision nearest to a number, ties to even, as in NumPy. */
export function numberToFloat16(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  // Halfway between the largest half and the next power of two.
  if (size >= 65520) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | roundToEven(size * 2 ** 24);
  let exponent = Math.floor(Math.log2(size));
  // The logarithm is rounded, so it may be off by one near a power of two.
  if (2 ** exponent > size) exponent--;
  else if (2 ** (exponent + 1) <= size) exponent++;
  // A carry out of the fraction increments the exponent.
  return sign | (((exponent + 15) << 10) + roundToEven(size * 2 ** (10 - exponent)) - 1024);
}

/** The number of a bfloat16: the upper 16 bits of a float32. */
export function bfloat16ToNumber(bits: number): number {
  scratchBits[0] = bits << 16;
  return scratch[0]!;
}

/** The 16 bits of bfloat16 nearest to a number, ties to even. */
export function numberToBfloat16(value: number): number {
  if (Number.isNaN(value)) return 0x7fc0;
  scratch[0] = value;
  const bits = scratchBits[0]!;
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

function roundToEven(value: number): number {
  const down = Math.floor(value);
  const rest = value - down;
  return rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? down + 1 : down;
}

/** The numbers of an array as float32, the precision of features and embeddings; for a float32 array its own data. */
export function toFloat32(array: NdArray<Exclude<DType, "complex64" | "complex128">>): Float32Array {
  switch (array.dtype) {
    case "float32":
      return array.data;
    case "float16":
      return Float32Array.from(array.data, float16ToNumber);
    case "bfloat16":
      return Float32Array.from(array.data, bfloat16ToNumber);
    case "int64":
    case "uint64":
      return Float32Array.from(array.data as BigInt64Array, Number);
    default:
      return Float32Array.from(array.data as Float64Array);
  }
}
