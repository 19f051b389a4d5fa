import { crc8 } from "./flac-crc.ts";
import type { StreamInfo } from "./read-stream-info.ts";

export interface FlacFrameHeader {
  readonly blockSize: number;
  /** 0 to 7: the number of channels minus one. 8, 9, 10: left and side, side and right, mid and side. */
  readonly assignment: number;
  /** The position of the frame in the file, in samples of one channel. */
  readonly firstFrame: number;
  readonly headerBytes: number;
}

// Marker, codes, a number of up to 7 bytes, two fields of up to 2 bytes, a checksum.
export const maxHeaderBytes = 16;

const bitsOfCode = [0, 8, 12, -1, 16, 20, 24, 32];
const rateOfCode = [0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000];

/** Reads a frame header; undefined if there is none that matches the stream in checksum, rate, channels and bits. */
export function readFrameHeader(bytes: Uint8Array, at: number, info: StreamInfo): FlacFrameHeader | undefined {
  if (at + 6 > bytes.length || bytes[at] !== 0xff || (bytes[at + 1]! & 0xfe) !== 0xf8) return undefined;
  const isVariable = (bytes[at + 1]! & 1) === 1;
  const [sizeCode, rateCode] = [bytes[at + 2]! >> 4, bytes[at + 2]! & 15];
  const [assignment, bitsCode] = [bytes[at + 3]! >> 4, (bytes[at + 3]! >> 1) & 7];
  if (assignment > 10 || sizeCode === 0 || rateCode === 15 || (bytes[at + 3]! & 1) === 1) return undefined;
  const channels = assignment < 8 ? assignment + 1 : 2;
  const bits = bitsOfCode[bitsCode]!;
  if (channels !== info.channels || (bits !== 0 && bits !== info.bits)) return undefined;
  const number = readNumber(bytes, at + 4);
  if (number === undefined) return undefined;
  let next = at + 4 + number.bytes;
  const blockSize = sizeOf(bytes, next, sizeCode);
  next += sizeCode === 6 ? 1 : sizeCode === 7 ? 2 : 0;
  const rate = rateOf(bytes, next, rateCode, info.sampleRate);
  next += rateCode === 12 ? 1 : rateCode === 13 || rateCode === 14 ? 2 : 0;
  if (next >= bytes.length || rate !== info.sampleRate || crc8(bytes, at, next) !== bytes[next]) return undefined;
  if (blockSize > Math.max(info.maxBlockSize, 16)) return undefined;
  // Streams with a fixed block size count frames; the last frame is shorter, so the size is taken from the stream.
  const firstFrame = isVariable ? number.value : number.value * info.maxBlockSize;
  return { blockSize, assignment, firstFrame, headerBytes: next + 1 - at };
}

/** A number in UTF-8-like coding, up to 36 bits. */
function readNumber(bytes: Uint8Array, at: number): { readonly value: number; readonly bytes: number } | undefined {
  const first = bytes[at]!;
  if (first < 0x80) return { value: first, bytes: 1 };
  const length = Math.clz32(~(first << 24));
  if (length < 2 || length > 7 || at + length > bytes.length) return undefined;
  let value = first & (0x7f >> length);
  for (let i = 1; i < length; i++) {
    if ((bytes[at + i]! & 0xc0) !== 0x80) return undefined;
    value = value * 64 + (bytes[at + i]! & 0x3f);
  }
  return { value, bytes: length };
}

function sizeOf(bytes: Uint8Array, at: number, code: number): number {
  if (code === 1) return 192;
  if (code <= 5) return 576 << (code - 2);
  if (code === 6) return (bytes[at] ?? 0) + 1;
  if (code === 7) return (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)) + 1;
  return 256 << (code - 8);
}

function rateOf(bytes: Uint8Array, at: number, code: number, ofStream: number): number {
  if (code === 0) return ofStream;
  if (code === 12) return (bytes[at] ?? 0) * 1000;
  const number = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  if (code === 13) return number;
  if (code === 14) return number * 10;
  return rateOfCode[code]!;
}
