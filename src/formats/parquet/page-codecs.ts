import * as zlib from "node:zlib";
import type { Compressors } from "hyparquet";
import type { Inflate } from "./check-page-data.ts";

type InflateSync = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

const { zstdDecompressSync } = zlib as { readonly zstdDecompressSync?: InflateSync };
const limited =
  (inflate: InflateSync): Inflate =>
  (bytes, length) =>
    inflate(bytes, { maxOutputLength: Math.max(1, length) });

/** The decompression of Node.js, and the library's for snappy. */
export function pageCodecs(snappyUncompress: (bytes: Uint8Array, output: Uint8Array) => void): Compressors {
  return {
    SNAPPY: (bytes, length) => {
      const output = new Uint8Array(length);
      snappyUncompress(bytes, output);
      return output;
    },
    GZIP: limited(zlib.gunzipSync),
    BROTLI: limited(zlib.brotliDecompressSync),
    ...(zstdDecompressSync !== undefined && { ZSTD: limited(zstdDecompressSync) }),
  };
}

/**
 * Codecs that keep what they have made: the checks decompress every page, and the library asks for the same pages
 * again, in the same order.
 */
export class RememberedPages {
  private readonly codecs: Compressors;
  private readonly pages: { readonly packed: Uint8Array; readonly page: Uint8Array }[] = [];
  private next = 0;

  constructor(codecs: Compressors) {
    this.codecs = codecs;
  }

  /** For the checks: decompresses and keeps the page. Undefined for a codec that is not known. */
  inflateOf(codec: string): Inflate | undefined {
    if (codec === "UNCOMPRESSED") return (bytes) => bytes;
    const inflate = this.codecs[codec as keyof Compressors];
    if (inflate === undefined) return undefined;
    return (packed, length) => {
      const page = inflate(packed, length);
      this.pages.push({ packed, page });
      return page;
    };
  }

  /** For the library: the kept page if it is the next one, by its bytes. */
  get compressors(): Compressors {
    return Object.fromEntries(
      Object.entries(this.codecs).map(([codec, inflate]) => [
        codec,
        (packed: Uint8Array, length: number) => this.take(packed, length) ?? inflate(packed, length),
      ]),
    );
  }

  private take(packed: Uint8Array, length: number): Uint8Array | undefined {
    const kept = this.pages[this.next];
    if (kept === undefined || kept.page.length !== length || Buffer.compare(kept.packed, packed) !== 0)
      return undefined;
    this.pages[this.next++] = { packed: nothing, page: nothing };
    return kept.page;
  }
}

const nothing = new Uint8Array(0);
