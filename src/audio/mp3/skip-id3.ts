/** The end of an ID3v2 tag that begins at `offset`; `offset` itself if there is none. */
export function skipId3(bytes: Uint8Array, offset: number): number {
  const isTag = bytes[offset] === 0x49 && bytes[offset + 1] === 0x44 && bytes[offset + 2] === 0x33;
  if (!isTag || offset + 10 > bytes.length) return offset;
  const size = bytes.subarray(offset + 6, offset + 10);
  // Seven bits a byte, so that a size never looks like the start of a frame.
  if (size.some((byte) => byte > 0x7f)) return offset;
  const footer = (bytes[offset + 5]! & 0x10) === 0 ? 0 : 10;
  return offset + 10 + ((size[0]! << 21) | (size[1]! << 14) | (size[2]! << 7) | size[3]!) + footer;
}
