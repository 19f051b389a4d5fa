import { combineCrc32, crc32 } from "../../bytes/crc32.ts";
import { MillraceError } from "../../errors/errors.ts";
import { bytesOfArray } from "../array-bytes.ts";
import { FileSink } from "../file-sink.ts";
import { checkNdArray, countElements, type DType, layouts, type NdArray } from "../nd-array.ts";
import { npyHeader } from "./encode-npy.ts";

/** The type and shape of every row. */
export interface NpyAppenderOptions {
  readonly dtype: DType;
  /** The shape of one row; `[]` for a vector of numbers. */
  readonly rowShape: readonly number[];
  /** Continues a file with this many rows, from `checkpoint`, instead of starting a new one. */
  readonly resume?: NpyCheckpoint;
}

/** The state of an appender; the file may be longer when it is resumed. Plain JSON. */
export interface NpyCheckpoint {
  readonly rows: number;
  readonly bytes: number;
  /** The checksum of the rows, without the header. */
  readonly dataCrc32: number;
}

/**
 * An npy file that grows row by row, with only a piece in memory. Until it is closed its header has no rows; `close`
 * writes the number, for which the header has space.
 */
export class NpyAppender implements Disposable {
  private readonly sink: FileSink;
  private readonly dtype: DType;
  private readonly rowShape: readonly number[];
  private readonly rowBytes: number;
  private readonly headerBytes: number;
  private rows: number;
  private dataCrc: number;
  private closed = false;

  constructor(path: string, { dtype, rowShape, resume }: NpyAppenderOptions) {
    this.dtype = dtype;
    this.rowShape = [...rowShape];
    this.rowBytes = countElements(rowShape) * layouts[dtype].itemBytes;
    this.rows = resume?.rows ?? 0;
    this.dataCrc = resume?.dataCrc32 ?? 0;
    const header = npyHeader(dtype, [0, ...rowShape]);
    this.headerBytes = header.length;
    if (resume !== undefined && resume.bytes !== this.headerBytes + this.rows * this.rowBytes) {
      throw new MillraceError(
        "WRITER_FAILED",
        `${path} cannot be continued: its checkpoint is of another kind of array.`,
        {
          hint: "Use the same dtype and row shape, or start a new file.",
        },
      );
    }
    this.sink = new FileSink(path, resume?.bytes);
    // Also when resuming: the previous process may have been killed after it wrote the number of rows.
    if (resume === undefined) this.sink.write(header);
    else this.sink.patch(header, 0);
  }

  /** Appends one row (of the row's shape) or several (with one more leading dimension). */
  append(array: NdArray): void {
    checkNdArray(array);
    const rows = this.countRows(array);
    const bytes = bytesOfArray(array);
    this.sink.write(bytes);
    this.dataCrc = crc32(bytes, this.dataCrc);
    this.rows += rows;
  }

  /** Passes everything to the operating system and returns the state. */
  checkpoint(): NpyCheckpoint {
    this.sink.flush();
    return { rows: this.rows, bytes: this.sink.bytes, dataCrc32: this.dataCrc };
  }

  /** Writes the number of rows and closes the file; returns its length and checksum. A second call does nothing. */
  close(): { rows: number; bytes: number; crc32: number } {
    const header = npyHeader(this.dtype, [this.rows, ...this.rowShape]);
    if (!this.closed) {
      this.closed = true;
      try {
        this.sink.patch(header, 0);
      } finally {
        this.sink.close();
      }
    }
    const dataBytes = this.rows * this.rowBytes;
    const sum = combineCrc32(crc32(header), this.dataCrc, dataBytes);
    return { rows: this.rows, bytes: this.headerBytes + dataBytes, crc32: sum };
  }

  [Symbol.dispose](): void {
    this.close();
  }

  private countRows({ dtype, shape }: NdArray): number {
    const extra = shape.length - this.rowShape.length;
    const fits = this.rowShape.every((dimension, axis) => dimension === shape[axis + extra]);
    if (dtype === this.dtype && fits && extra === 0) return 1;
    if (dtype === this.dtype && fits && extra === 1) return shape[0]!;
    throw new MillraceError(
      "BAD_RECORD",
      `${this.sink.path} takes rows of ${this.dtype} [${this.rowShape.join(", ")}], not ${dtype} [${shape.join(", ")}].`,
      { hint: "Every row of an npy file has one element type and one shape; arrays that differ belong into an npz." },
    );
  }
}
