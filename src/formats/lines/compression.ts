import type { Transform } from "node:stream";
import * as zlib from "node:zlib";
import { MillraceError } from "../../shared/errors.ts";

export type Compression = "none" | "gzip" | "zstd";

// Node.js has zstd since 22.15; the types of the oldest supported version do not know it.
const { createZstdCompress, createZstdDecompress } = zlib as {
  readonly createZstdCompress?: () => Transform;
  readonly createZstdDecompress?: () => Transform;
};

/** Whether this Node.js can read and write zstd. */
export const hasZstd: boolean = createZstdCompress !== undefined && createZstdDecompress !== undefined;

/** What a file's name says of its compression. */
export function compressionOfName(path: string): Compression {
  if (path.endsWith(".gz")) return "gzip";
  return path.endsWith(".zst") || path.endsWith(".zstd") ? "zstd" : "none";
}

/** What a file's first bytes say of its compression: a name may be wrong. */
export function compressionOfBytes(bytes: Uint8Array): Compression {
  const [a, b, c, d] = bytes;
  if (a === 0x1f && b === 0x8b) return "gzip";
  return a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd ? "zstd" : "none";
}

/** A stream that compresses, or undefined for none. */
export function compressor(compression: Compression, path: string): Transform | undefined {
  if (compression === "none") return undefined;
  if (compression === "gzip") return zlib.createGzip();
  return (createZstdCompress ?? noZstd(path))();
}

/** A stream that takes the compression away, or undefined for none. */
export function decompressor(compression: Compression, path: string): Transform | undefined {
  if (compression === "none") return undefined;
  if (compression === "gzip") return zlib.createGunzip();
  return (createZstdDecompress ?? noZstd(path))();
}

function noZstd(path: string): never {
  throw new MillraceError("BAD_OPTION", `${path}: this Node.js (${process.version}) has no zstd.`, {
    hint: "Use Node.js 22.15 or newer, or gzip (.gz) instead.",
  });
}
