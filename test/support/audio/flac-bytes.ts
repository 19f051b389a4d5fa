import { crc8, crc16 } from "../../../src/audio/flac/flac-crc.ts";

/** What a test wants to stand in a FLAC file; everything may be wrong. */
export interface FlacParts {
  readonly blockSize: number;
  readonly sampleRate?: number;
  readonly channels?: number;
  readonly bits?: number;
  /** 0: not known. */
  readonly totalFrames?: number;
  readonly md5?: Uint8Array;
  /** The frames, and what else is wanted behind the header. */
  readonly audio: readonly Uint8Array[];
}

/** A FLAC file put together byte by byte. */
export function flacBytes(parts: FlacParts): Uint8Array {
  const { blockSize, sampleRate = 16_000, channels = 1, bits = 16, totalFrames = 0 } = parts;
  const info = Buffer.alloc(38);
  info.writeUInt32BE(0x8000_0022, 0);
  info.writeUInt16BE(blockSize, 4);
  info.writeUInt16BE(blockSize, 6);
  const packed =
    (BigInt(sampleRate) << 44n) | (BigInt(channels - 1) << 41n) | (BigInt(bits - 1) << 36n) | BigInt(totalFrames);
  info.writeBigUInt64BE(packed, 14);
  info.set(parts.md5 ?? new Uint8Array(16), 22);
  return Buffer.concat([Buffer.from("fLaC"), info, ...parts.audio]);
}

/** The header of a frame, its checksum included; `assignment` is how the channels are stored. */
export function flacFrameHeader(number: number, blockSize: number, assignment = 0): Uint8Array {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(blockSize - 1);
  const header = Buffer.from([0xff, 0xf8, 0x70, assignment << 4, ...codedNumber(number), ...size]);
  return Buffer.concat([header, Buffer.of(crc8(header, 0, header.length))]);
}

/** A frame: its header, its subframes as they are, and the checksum of both. */
export function flacFrame(header: Uint8Array, subframes: Uint8Array): Uint8Array {
  const body = Buffer.concat([header, subframes, Buffer.alloc(2)]);
  body.writeUInt16BE(crc16(body, 0, body.length - 2), body.length - 2);
  return body;
}

/** Numbers of frames are written in the manner of UTF-8: each byte behind the first holds six bits. */
function codedNumber(number: number): number[] {
  if (number < 0x80) return [number];
  const rest: number[] = [];
  let left = number;
  while (left >= 2 ** (6 - rest.length)) {
    rest.unshift(0x80 | (left % 64));
    left = Math.floor(left / 64);
  }
  const mark = (0xff << (7 - rest.length)) & 0xff;
  return [mark | left, ...rest];
}
