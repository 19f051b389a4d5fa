import { crc32 as zlibCrc32 } from "node:zlib";

/**
 * CRC-32 of bytes, or of text in UTF-8, continued from an earlier value, so a checksum can continue after a restart.
 */
export function crc32(data: Uint8Array | string, before = 0): number {
  // For empty input zlib ignores the start value.
  return data.length === 0 ? before : zlibCrc32(data, before);
}

/** The checksum as files contain it: eight hexadecimal digits. */
export function crcText(value: number): string {
  return value.toString(16).padStart(8, "0");
}

/**
 * The checksum of two concatenated pieces, from their checksums and the length of the second. Appending n zero bytes is
 * a linear map over bits, so it takes log(n) squarings instead of n steps.
 */
export function combineCrc32(first: number, second: number, secondBytes: number): number {
  let sum = first;
  for (let left = secondBytes, power = 0; left > 0; left = Math.floor(left / 2), power++)
    if (left % 2 === 1) sum = apply(zeroBytes(power), sum);
  return (sum ^ second) >>> 0;
}

/** Row i is the image of bit i. */
type Matrix = readonly number[];

function apply(matrix: Matrix, vector: number): number {
  let sum = 0;
  for (let bit = 0, left = vector; left !== 0; bit++, left >>>= 1) if ((left & 1) === 1) sum ^= matrix[bit]!;
  return sum >>> 0;
}

function square(matrix: Matrix): Matrix {
  return matrix.map((row) => apply(matrix, row));
}

const polynomial = 0xedb88320;
const oneZeroBit: Matrix = [polynomial, ...Array.from({ length: 31 }, (_, bit) => 2 ** bit)];
const powers: Matrix[] = [];

/** The map of appending 2 ^ power zero bytes. */
function zeroBytes(power: number): Matrix {
  powers[0] ??= square(square(square(oneZeroBit)));
  while (powers.length <= power) powers.push(square(powers.at(-1)!));
  return powers[power]!;
}
