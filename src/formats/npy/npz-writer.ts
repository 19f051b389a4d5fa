import { type ByteSink, FileSink } from "../file-sink.ts";
import { openFileSource } from "../file-source.ts";
import type { NdArray } from "../nd-array.ts";
import { resumeZip } from "../zip/resume-zip.ts";
import { type ZipPrefix, ZipWriter } from "../zip/zip-writer.ts";
import { npyPieces } from "./encode-npy.ts";

/** How the arrays of an npz file are stored. */
export interface NpzOptions {
  /** Like `numpy.savez_compressed`. Default: stored, like `numpy.savez`. */
  readonly compress?: boolean;
}

/** Adds arrays to an npz archive, one after the other; none is kept in memory. */
export class NpzEncoder {
  private readonly zip: ZipWriter;
  private readonly compress: boolean;

  constructor(sink: ByteSink, { compress = false }: NpzOptions = {}, prefix?: ZipPrefix) {
    this.zip = new ZipWriter(sink, prefix);
    this.compress = compress;
  }

  add(name: string, array: NdArray): void {
    // The header is a multiple of 64 bytes, so the numbers after it are aligned too.
    this.zip.add(`${name}.npy`, npyPieces(array), { compress: this.compress, align: 64 });
  }

  /** Writes the directory: the archive is complete. */
  finish(): void {
    this.zip.finish();
  }
}

/** Arrays by name as the bytes of an npz file. */
export function encodeNpz(arrays: Readonly<Record<string, NdArray>>, options?: NpzOptions): Buffer {
  const pieces: Uint8Array[] = [];
  const encoder = new NpzEncoder((bytes) => pieces.push(bytes), options);
  for (const [name, array] of Object.entries(arrays)) encoder.add(name, array);
  encoder.finish();
  return Buffer.concat(pieces);
}

/** An npz file on disk that arrays are added to; `checkpoint` returns a length from which the file can be continued. */
export class NpzWriter implements Disposable {
  private readonly sink: FileSink;
  private readonly encoder: NpzEncoder;
  private closed = false;

  constructor(path: string, { resumeBytes, ...options }: NpzOptions & { readonly resumeBytes?: number } = {}) {
    const prefix = resumeBytes === undefined ? undefined : readPrefix(path, resumeBytes);
    this.sink = new FileSink(path, resumeBytes);
    this.encoder = new NpzEncoder((bytes) => this.sink.write(bytes), options, prefix);
  }

  add(name: string, array: NdArray): void {
    this.encoder.add(name, array);
  }

  /** Passes everything to the operating system; the bytes so far are whole arrays. */
  checkpoint(): { bytes: number } {
    this.sink.flush();
    return { bytes: this.sink.bytes };
  }

  /** Completes the file. A second call does nothing. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    try {
      this.encoder.finish();
    } finally {
      this.sink.close();
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

function readPrefix(path: string, bytes: number): ZipPrefix {
  const source = openFileSource(path);
  try {
    return resumeZip({ name: path, size: bytes, read: source.read.bind(source) });
  } finally {
    source.close();
  }
}
