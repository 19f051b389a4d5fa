import type { Transform } from "node:stream";
import * as zlib from "node:zlib";
import { MillraceError } from "../../shared/errors.ts";

/** How a file of lines is compressed; its name says so (`.gz`, `.zst`). */
export type Compression = "none" | "gzip" | "zstd";

// Node.js has zstd since 22.15; the types of the oldest supported version do not know it.
const { createZstdCompress, createZstdDecompress, zstdCompressSync } = zlib as {
  readonly createZstdCompress?: () => Transform;
  readonly createZstdDecompress?: () => Transform;
  readonly zstdCompressSync?: (bytes: Uint8Array) => Uint8Array;
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

/** Compresses a piece that is whole by itself, as the name of its file says; such pieces behind each other are one file. */
export function pieceCompressor(path: string): ((bytes: Uint8Array) => Uint8Array) | undefined {
  const compression = compressionOfName(path);
  if (compression === "none") return undefined;
  return compression === "gzip" ? gzipPiece : (zstdCompressSync ?? noZstd(path));
}

/** Without the system's name, which zlib puts into the header: the same text is the same bytes anywhere. */
function gzipPiece(bytes: Uint8Array): Uint8Array {
  const piece = zlib.gzipSync(bytes);
  piece[gzipSystemAt] = gzipSystemUnknown;
  return piece;
}

const gzipSystemAt = 9;
const gzipSystemUnknown = 255;

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
