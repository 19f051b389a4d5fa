/** How a frame of zstd begins. */
export type ZstdHead =
  /** Data of another program, which readers skip: `dataBytes` follow the head. */
  | { readonly kind: "skipped"; readonly headBytes: 8; readonly dataBytes: number }
  /** Blocks follow the head, and a checksum of the text if it has one. */
  | { readonly kind: "blocks"; readonly headBytes: number; readonly checksumBytes: number };

/** Bytes that tell the kind of a frame and the length of its head. */
export const zstdHeadStart = 8;

const frameMagic = 0xfd2fb528;

/** Reads the beginning of a frame; undefined if it is none. */
export function readZstdHead(bytes: Buffer): ZstdHead | undefined {
  const magic = bytes.readUInt32LE(0);
  if (magic >>> 4 === 0x184d2a5) return { kind: "skipped", headBytes: 8, dataBytes: bytes.readUInt32LE(4) };
  if (magic !== frameMagic) return undefined;
  const descriptor = bytes[4]!;
  const isSingle = (descriptor & 0x20) !== 0;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const headBytes = 5 + (isSingle ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]! + sizeBytes;
  return { kind: "blocks", headBytes, checksumBytes: (descriptor & 4) === 0 ? 0 : 4 };
}

/** The length of the head of a block. */
export const zstdBlockHead = 3;

/** Reads the head of a block; undefined if its kind is not valid. */
export function readZstdBlock(bytes: Buffer): { readonly isLast: boolean; readonly dataBytes: number } | undefined {
  const head = bytes.readUIntLE(0, zstdBlockHead);
  const kind = (head >> 1) & 3;
  if (kind === 3) return undefined;
  // A block of one repeated byte has only that.
  return { isLast: (head & 1) === 1, dataBytes: kind === 1 ? 1 : head >>> 3 };
}
