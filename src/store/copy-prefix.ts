import { closeSync, mkdirSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { crc32 } from "../shared/crc32.ts";
import { writeFully } from "./durable-files.ts";

const chunk = Buffer.allocUnsafeSlow(1 << 18);

/** Copies the first `bytes` of a file; answers their CRC-32, or undefined where the file is shorter. */
export function copyPrefix(from: string, to: string, bytes: number): number | undefined {
  mkdirSync(dirname(to), { recursive: true });
  const source = openSync(from, "r");
  const target = openSync(to, "w");
  try {
    return pump(source, target, { bytes, path: to });
  } finally {
    closeSync(source);
    closeSync(target);
  }
}

/** Copies `bytes` bytes between open files, from the source's own position or from `at`. */
export function pump(
  source: number,
  target: number,
  { bytes, path, at, digest = 0 }: { bytes: number; path: string; at?: number; digest?: number },
): number | undefined {
  let left = bytes;
  let crc = digest;
  let position = at ?? null;
  while (left > 0) {
    const read = readSync(source, chunk, 0, Math.min(left, chunk.length), position);
    if (read === 0) return undefined;
    const part = chunk.subarray(0, read);
    crc = crc32(part, crc);
    writeFully(target, part, path);
    left -= read;
    if (position !== null) position += read;
  }
  return crc;
}
