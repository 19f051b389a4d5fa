import { badFile } from "./bad-file.ts";
import type { ByteSource } from "./byte-source.ts";

/** Bytes that may have to be fetched first: a file of this machine or of another one. */
export interface PieceSource {
  /** Its name in errors, usually the path. */
  readonly name: string;
  readonly size: number;
  /** Exactly `length` bytes. A piece outside of the source is a `BAD_FILE` error, before any allocation. */
  read(offset: number, length: number): Uint8Array | Promise<Uint8Array>;
}

/** Pieces of a file that were fetched, by their offsets: decoders read them without waiting. */
export class HeldPieces implements ByteSource {
  readonly name: string;
  readonly size: number;
  private readonly pieces: readonly { readonly offset: number; readonly bytes: Uint8Array }[];

  /** The source ends with the last piece, so that no decoder reads ahead beyond it. */
  constructor(name: string, pieces: readonly { readonly offset: number; readonly bytes: Uint8Array }[]) {
    this.name = name;
    this.pieces = pieces;
    this.size = Math.max(0, ...pieces.map(({ offset, bytes }) => offset + bytes.length));
  }

  /** A view of the piece, which must not be written to. */
  read(offset: number, length: number): Buffer {
    const held = this.pieces.find(
      (piece) => offset >= piece.offset && offset + length <= piece.offset + piece.bytes.length,
    );
    if (held === undefined || !(length >= 0))
      throw badFile(this.name, offset, `${length} bytes are expected here, which are not part of it`);
    const { buffer, byteOffset } = held.bytes;
    return Buffer.from(buffer, byteOffset + offset - held.offset, length);
  }
}
