/** The block size of tar files. */
export const blockBytes = 512;

/** The fields of a header block: offset and length. */
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

/** The sum of a header's bytes, with its checksum field counted as spaces. */
export function sumHeader(block: Uint8Array): number {
  let sum = 0;
  const [start, length] = fields.checksum;
  for (let i = 0; i < blockBytes; i++) sum += i >= start && i < start + length ? 0x20 : block[i]!;
  return sum;
}

/** The size of a content in the file, with padding. */
export function paddedBytes(sizeBytes: number): number {
  return Math.ceil(sizeBytes / blockBytes) * blockBytes;
}

/** Why a name is not allowed, or undefined: unpacking it would write outside of the target folder. */
export function problemOfTarName(name: string): string | undefined {
  if (name === "") return "is empty";
  if (name.includes("\0")) return "contains a NUL";
  if (name.startsWith("/")) return "is an absolute path";
  return name.split(/[/\\]/).includes("..") ? "leads out of its folder (..)" : undefined;
}
