import type { ExactSum } from "./exact-sum.ts";

// Every float64 is a whole multiple of this power of two.
const lowestExponent = 1074;
const keptBits = 64;

/** The float64 nearest to the true sum of each column, ties to even: rounded once, at the end. */
export function roundExact(levels: ExactSum, columns: number): Float64Array {
  return Float64Array.from({ length: columns }, (_, column) => {
    const parts = levels.map((level) => level[column]!).filter((part) => part !== 0);
    // One addition of two numbers is rounded only once.
    if (parts.length <= 2) return (parts[0] ?? 0) + (parts[1] ?? 0);
    return toNumber(parts.reduce((sum, part) => sum + toMultiple(part), 0n));
  });
}

const scratch = new DataView(new ArrayBuffer(8));

/** A number as a multiple of the lowest power of two. */
function toMultiple(value: number): bigint {
  scratch.setFloat64(0, value);
  const bits = scratch.getBigUint64(0);
  const exponent = (bits >> 52n) & 0x7ffn;
  const fraction = bits & 0xfffffffffffffn;
  const size = exponent === 0n ? fraction : (fraction | 0x10000000000000n) << (exponent - 1n);
  return value < 0 ? -size : size;
}

function toNumber(multiple: bigint): number {
  const size = multiple < 0n ? -multiple : multiple;
  const shift = Math.max(0, size.toString(16).length * 4 - keptBits);
  const kept = size >> BigInt(shift);
  // A sticky bit represents everything that is cut off, so that almost halfway is not taken for halfway.
  const isCut = kept << BigInt(shift) !== size;
  const nearest = scale(Number(isCut ? kept | 1n : kept), shift - lowestExponent);
  return multiple < 0n ? -nearest : nearest;
}

/**
 * Multiplies by a power of two, in steps that are representable. Always exact, because the value has at most 53 bits.
 */
function scale(value: number, exponent: number): number {
  let scaled = value;
  let left = exponent;
  for (; left < -1000; left += 1000) scaled *= 2 ** -1000;
  for (; left > 1000; left -= 1000) scaled *= 2 ** 1000;
  return scaled * 2 ** left;
}
