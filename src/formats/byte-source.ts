import { constants } from "node:buffer";
import { badFile } from "./bad-file.ts";

/** Bytes that are read piece by piece: a file, or bytes in memory. */
export interface ByteSource {
  /** Its name in errors, usually the path. */
  readonly name: string;
  readonly size: number;
  /** Exactly `length` bytes. A piece outside of the source is a `BAD_FILE` error, before any allocation. */
  read(offset: number, length: number): Buffer;
}

/** The input of every decoder: bytes, or a source that is read on demand. */
export type Bytes = Uint8Array | ByteSource;

/** Bytes in memory as a source; pieces share its memory. */
export function toByteSource(input: Bytes, name = "the given bytes"): ByteSource {
  if (!(input instanceof Uint8Array)) return input;
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  return {
    name,
    size: bytes.length,
    read(offset, length) {
      requireWithin(this, offset, length);
      return bytes.subarray(offset, offset + length);
    },
  };
}

/** The check of every source: no header makes a reader request more than the file has. */
export function requireWithin(source: { name: string; size: number }, offset: number, length: number): void {
  // Written so that NaN and infinity are refused too.
  if (!(offset >= 0 && length >= 0 && offset + length <= source.size)) {
    const rest = Math.max(0, source.size - offset);
    throw badFile(source.name, offset, `${length} bytes are expected here, but the file ends ${rest} bytes later`);
  }
  if (length > constants.MAX_LENGTH) {
    throw badFile(
      source.name,
      offset,
      `${length} bytes in one piece are more than this Node.js can hold (${constants.MAX_LENGTH})`,
      "Use a newer Node.js, or split the array.",
    );
  }
}
