/** Tar files are made of blocks of this size. */
export const blockBytes = 512;

/** Where the fields of a header block are: first byte and length. */
export const fields = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
  prefix: [345, 155],
} as const;

/** The sum of a header's bytes, its checksum field counted as spaces. */
export function sumHeader(block: Uint8Array): number {
  let sum = 0;
  const [start, length] = fields.checksum;
  for (let i = 0; i < blockBytes; i++) sum += i >= start && i < start + length ? 0x20 : block[i]!;
  return sum;
}

/** How many bytes a content takes up in the file. */
export function paddedBytes(sizeBytes: number): number {
  return Math.ceil(sizeBytes / blockBytes) * blockBytes;
}
