import { viewOf } from "../view-of.ts";

/** A page of an Ogg file: pieces of packets of one stream. */
export interface OggPage {
  /** The whole page; a view. */
  readonly bytes: Uint8Array;
  readonly serial: number;
  readonly sequence: number;
  /** The position of the stream at the end of the page; -1 if no packet ends in it. */
  readonly granule: number;
  readonly isContinued: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Lengths of the pieces; a packet ends with the first piece that is shorter than 255. */
  readonly lacing: Uint8Array;
  readonly body: Uint8Array;
}

const headerBytes = 27;
export const maxPageBytes: number = headerBytes + 255 + 255 * 255;

const crcTable = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24;
  for (let bit = 0; bit < 8; bit++) value = value < 0 ? (value << 1) ^ 0x04c11db7 : value << 1;
  return value;
});

/** Ogg's checksum of a page; the checksum field itself counts as zero. */
export function oggCrc(page: Uint8Array): number {
  let value = 0;
  for (let i = 0; i < page.length; i++) {
    const byte = i >= 22 && i < 26 ? 0 : page[i]!;
    value = (value << 8) ^ crcTable[(value >>> 24) ^ byte]!;
  }
  return value >>> 0;
}

/** Reads the page at `at`: `cut` if the bytes end within it, `damaged` if it is not a page or its checksum is wrong. */
export function readOggPage(bytes: Uint8Array, at: number): OggPage | "cut" | "damaged" {
  const isOgg = [0x4f, 0x67, 0x67, 0x53].every((byte, i) => at + i >= bytes.length || bytes[at + i] === byte);
  if (!isOgg) return "damaged";
  if (at + headerBytes > bytes.length) return "cut";
  const view = viewOf(bytes.subarray(at));
  const segments = view.getUint8(26);
  if (view.byteLength < headerBytes + segments) return "cut";
  const lacing = bytes.subarray(at + headerBytes, at + headerBytes + segments);
  const bodyAt = headerBytes + segments;
  const length = lacing.reduce((sum, piece) => sum + piece, bodyAt);
  if (view.byteLength < length) return "cut";
  const page = bytes.subarray(at, at + length);
  if (view.getUint8(4) !== 0 || view.getUint32(22, true) !== oggCrc(page)) return "damaged";
  const flags = view.getUint8(5);
  return {
    bytes: page,
    serial: view.getUint32(14, true),
    sequence: view.getUint32(18, true),
    granule: Number(view.getBigInt64(6, true)),
    isContinued: (flags & 1) !== 0,
    isFirst: (flags & 2) !== 0,
    isLast: (flags & 4) !== 0,
    lacing,
    body: page.subarray(bodyAt),
  };
}
