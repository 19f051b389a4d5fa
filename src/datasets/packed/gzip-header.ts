const [hasHeaderCrc, hasExtra, hasName, hasComment] = [2, 4, 8, 16];

/** The length of the header of a gzip member; undefined if these bytes are none, or it does not end within them. */
export function gzipHeaderBytes(bytes: Uint8Array): number | undefined {
  if (bytes.length < 10 || bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8) return undefined;
  const flags = bytes[3]!;
  // Bits that no version defines: the header may be longer than is known.
  if ((flags & 0xe0) !== 0) return undefined;
  let at = 10;
  if ((flags & hasExtra) !== 0) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);
  for (const flag of [hasName, hasComment]) {
    if ((flags & flag) === 0) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) return undefined;
    at = end + 1;
  }
  if ((flags & hasHeaderCrc) !== 0) at += 2;
  return at <= bytes.length ? at : undefined;
}
