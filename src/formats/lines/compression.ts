import type { Transform } from "node:stream";
import * as zlib from "node:zlib";
import { MillraceError } from "../../errors/errors.ts";

/** The compression of a file of lines, given by its name (`.gz`, `.zst`). */
export type Compression = "none" | "gzip" | "zstd";

// Node.js has zstd since 22.15; the types of the oldest supported version do not declare it.
const { createZstdCompress, createZstdDecompress, zstdCompressSync, zstdDecompressSync } = zlib as {
  readonly createZstdCompress?: () => Transform;
  readonly createZstdDecompress?: () => Transform;
  readonly zstdCompressSync?: (bytes: Uint8Array) => Uint8Array;
  readonly zstdDecompressSync?: (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer;
};

/** Whether this Node.js can read and write zstd. */
export const hasZstd: boolean = createZstdCompress !== undefined && createZstdDecompress !== undefined;

/** The compression by a file's name. */
export function compressionOfName(path: string): Compression {
  if (path.endsWith(".gz")) return "gzip";
  return path.endsWith(".zst") || path.endsWith(".zstd") ? "zstd" : "none";
}

/** The compression by a file's first bytes: a name may be wrong. */
export function compressionOfBytes(bytes: Uint8Array): Compression {
  const [a = 0, b, c, d] = bytes;
  if (a === 0x1f && b === 0x8b) return "gzip";
  const isFrame = a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd;
  // pzstd begins a file with a frame that readers skip.
  const isSkippable = a >>> 4 === 5 && b === 0x2a && c === 0x4d && d === 0x18;
  return isFrame || isSkippable ? "zstd" : "none";
}

/** A stream that compresses, or undefined for none. */
export function compressor(compression: Compression, path: string): Transform | undefined {
  if (compression === "none") return undefined;
  if (compression === "gzip") return zlib.createGzip();
  return (createZstdCompress ?? noZstd(path))();
}

/** Compresses an independent piece, as the file's name says; such pieces concatenated are one valid file. */
export function pieceCompressor(path: string): ((bytes: Uint8Array) => Uint8Array) | undefined {
  const compression = compressionOfName(path);
  if (compression === "none") return undefined;
  return compression === "gzip" ? gzipPiece : (zstdCompressSync ?? noZstd(path));
}

/** Without the system's name, which zlib puts into the header: the same text gives the same bytes everywhere. */
function gzipPiece(bytes: Uint8Array): Uint8Array {
  const piece = zlib.gzipSync(bytes);
  piece[gzipSystemAt] = gzipSystemUnknown;
  return piece;
}

const gzipSystemAt = 9;
const gzipSystemUnknown = 255;

/** A stream that decompresses, or undefined for none. */
export function decompressor(compression: Compression, path: string): Transform | undefined {
  if (compression === "none") return undefined;
  if (compression === "gzip") return zlib.createGunzip();
  return (createZstdDecompress ?? noZstd(path))();
}

/** Unpacks a whole frame of zstd. */
export function unpackZstd(frame: Uint8Array, path: string, maxOutputLength: number): Buffer {
  return (zstdDecompressSync ?? noZstd(path))(frame, { maxOutputLength });
}

function noZstd(path: string): never {
  throw new MillraceError("BAD_OPTION", `${path}: this Node.js (${process.version}) has no zstd.`, {
    hint: "Use Node.js 22.15 or newer, or gzip (.gz) instead.",
  });
}
