import type { Random } from "./random.ts";
import type { Mutator } from "./reader.ts";

const oddBytes = [0, 1, 2, 4, 0x0a, 0x20, 0x22, 0x2c, 0x2e, 0x2f, 0x3a, 0x5b, 0x5d, 0x7b, 0x7f, 0x80, 0xff];

/** Numbers that headers lie with. */
const oddNumbers: readonly bigint[] = [
  0n,
  1n,
  2n,
  -1n,
  -2n,
  0x7fn,
  0x80n,
  0xffn,
  0x7fffn,
  0x8000n,
  0xffffn,
  0x10000n,
  1n << 24n,
  0x10000000n,
  0x7fffffffn,
  0x80000000n,
  0xfffffffen,
  0xffffffffn,
  1n << 32n,
  (1n << 53n) - 1n,
  1n << 53n,
  (1n << 63n) - 1n,
  1n << 63n,
  -(1n << 63n),
];

/** Another number for a length, a count or an offset: an extreme one, or one close to the true one. */
export function oddNumber(random: Random, value: bigint, size: number): bigint {
  const near = [value - 1n, value + 1n, value * 2n, value / 2n, -value, BigInt(size), BigInt(size) - value];
  return random.chance(0.5) ? random.pick(oddNumbers) : random.pick(near);
}

const widths = [1, 2, 4, 4, 8];

function readNumber(bytes: Buffer, at: number, width: number, isLittle: boolean): bigint {
  if (width === 8) return isLittle ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at);
  return BigInt(isLittle ? bytes.readUIntLE(at, width) : bytes.readUIntBE(at, width));
}

/** Writes the lowest bits of a number. */
export function writeNumber(bytes: Buffer, at: number, width: number, isLittle: boolean, value: bigint): void {
  for (let i = 0; i < width; i++) {
    bytes[isLittle ? at + i : at + width - 1 - i] = Number((value >> BigInt(8 * i)) & 0xffn);
  }
}

/** Puts bytes in the place of others. */
export function splice(bytes: Buffer, at: number, length: number, put: Uint8Array): Buffer {
  return Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(Math.min(bytes.length, at + length))]);
}

function flipBit(bytes: Buffer, random: Random): Buffer {
  bytes[random.below(bytes.length)]! ^= 1 << random.below(8);
  return bytes;
}

function setByte(bytes: Buffer, random: Random): Buffer {
  bytes[random.below(bytes.length)] = random.chance(0.5) ? random.pick(oddBytes) : random.below(256);
  return bytes;
}

/** A number anywhere, of any width and order. */
function setNumber(bytes: Buffer, random: Random): Buffer {
  const width = random.pick(widths);
  if (bytes.length < width) return bytes;
  const at = random.below(bytes.length - width + 1);
  const isLittle = random.chance(0.5);
  writeNumber(bytes, at, width, isLittle, oddNumber(random, readNumber(bytes, at, width, isLittle), bytes.length));
  return bytes;
}

/** A number that looks like a length, a count or an offset: it is not zero and not larger than the file. */
function setField(bytes: Buffer, random: Random): Buffer {
  const [width, isLittle] = [random.pick([2, 4, 8]), random.chance(0.5)];
  if (bytes.length < width) return bytes;
  const start = random.below(bytes.length - width + 1);
  for (let i = 0; i < Math.min(bytes.length, 256); i++) {
    const at = (start + i) % (bytes.length - width + 1);
    const value = readNumber(bytes, at, width, isLittle);
    if (value === 0n || value > BigInt(bytes.length)) continue;
    writeNumber(bytes, at, width, isLittle, oddNumber(random, value, bytes.length));
    return bytes;
  }
  return bytes;
}

/** A number in seven bits a byte, as Thrift and Protobuf have them, of another length than the one before it. */
function setVarint(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length);
  let end = at;
  while (end < bytes.length - 1 && end - at < 9 && bytes[end]! >= 0x80) end++;
  return splice(bytes, at, end - at + 1, varint(BigInt.asUintN(64, random.pick(oddNumbers))));
}

/** A number in seven bits a byte. */
function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7n) {
    if (rest < 0x80n) return Buffer.of(...bytes, Number(rest));
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}

function truncate(bytes: Buffer, random: Random): Buffer {
  return bytes.subarray(0, random.below(bytes.length));
}

function remove(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length);
  return splice(bytes, at, random.length(bytes.length - at), Buffer.alloc(0));
}

function repeat(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length);
  const piece = bytes.subarray(at, at + random.length(bytes.length - at));
  const times = random.pick([1, 1, 1, 2, 16, Math.ceil(4096 / piece.length)]);
  return splice(bytes, at, 0, Buffer.concat(Array.from({ length: times }, () => piece)));
}

function copyOver(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length);
  bytes.copy(bytes, random.below(bytes.length), at, at + random.length(bytes.length - at));
  return bytes;
}

function fill(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length);
  const put = Buffer.alloc(random.length(4096), random.pick(oddBytes));
  return splice(bytes, at, random.chance(0.5) ? put.length : 0, put);
}

/** The digits of numbers that headers hold as text, in as many characters as before. */
function setDigits(bytes: Buffer, random: Random): Buffer {
  const start = random.below(bytes.length);
  const at = bytes.findIndex((byte, i) => i >= start && byte >= 0x30 && byte <= 0x39);
  for (let i = at; i >= 0 && i < bytes.length && bytes[i]! >= 0x30 && bytes[i]! <= 0x39; i++) {
    bytes[i] = random.pick([0x30, 0x37, 0x39, 0x30 + random.below(10)]);
  }
  return bytes;
}

/** What can be done to any file. */
export const byteMutators: readonly Mutator[] = [
  flipBit,
  setByte,
  setNumber,
  setField,
  setField,
  setVarint,
  truncate,
  remove,
  repeat,
  copyOver,
  fill,
  setDigits,
];
