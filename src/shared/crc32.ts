import { crc32 as zlibCrc32 } from "node:zlib";

/** CRC-32 of bytes, continued from an earlier value: a checksum that can go on after a restart. */
export function crc32(bytes: Uint8Array, before = 0): number {
  return zlibCrc32(bytes, before);
}

/** The checksum as it stands in files: eight hexadecimal digits. */
export function crcText(value: number): string {
  return value.toString(16).padStart(8, "0");
}
