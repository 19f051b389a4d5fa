import { type Shape, shape } from "../../config/shape.ts";

/** The first and the last eight bytes of an index. A new layout has a new number, and old ones are built again. */
export const indexMagic = "MLROWS01";

/** What an index is of: another file, or another way to read it, needs another index. */
export interface IndexSubject {
  /** The rules by which rows were found: `jsonl`, or `csv` with its separator. */
  readonly rules: string;
  readonly size: number;
  /** Modification time in nanoseconds, or the ETag of a remote file. */
  readonly version: string;
  /** A digest of the first and the last bytes. */
  readonly ends: string;
  readonly endian: "BE" | "LE";
}

/** Where reading of a compressed file can begin. */
export interface RestartTable {
  readonly kind: "gzip" | "zstd";
  /** Where the table is in the index, and how many points it has. */
  readonly at: number;
  readonly count: number;
}

/** The end of an index: everything but the pages. */
export interface IndexFooter {
  readonly subject: IndexSubject;
  readonly rows: number;
  /** The bytes of text; of a compressed file, when it is unpacked. */
  readonly textBytes: number;
  /** CRC-32 of the text, for the digest of the dataset. */
  readonly crc: number;
  /** Where the positions of the pages are. */
  readonly directory: number;
  readonly restarts?: RestartTable | undefined;
}

const count = shape.int({ min: 0 });

export const footerShape: Shape<unknown> = shape.object({
  subject: shape.object({
    rules: shape.string(),
    size: count,
    version: shape.string(),
    ends: shape.string(),
    endian: shape.oneOf(["BE", "LE"]),
  }),
  rows: count,
  textBytes: count,
  crc: count,
  directory: count,
  restarts: shape.optional(shape.object({ kind: shape.oneOf(["gzip", "zstd"]), at: count, count })),
});
