import type { IndexFile } from "../index/index-file.ts";
import type { RestartTable } from "../index/index-footer.ts";
import type { IndexWriter } from "../index/index-writer.ts";
import type { ByteStore } from "../source/byte-store.ts";

/** How the text of a file is unpacked: in order for the index, and from its restart points for rows. */
export interface PackedText {
  /** All of it, part by part; where reading can begin again is written into the index. */
  unpack(store: ByteStore, writer: IndexWriter): UnpackedParts;
  /** The text by its own offsets. */
  open(store: ByteStore, index: IndexFile): ByteStore;
}

interface UnpackedParts {
  /** A part is valid until the next one is asked for. */
  readonly chunks: () => AsyncIterable<Buffer>;
  /** Where the restart points are in the index, once all parts were read. */
  readonly restarts: () => RestartTable | undefined;
}

/** Where unpacking can begin. */
export interface RestartPoint {
  /** The offset in the text. */
  readonly textAt: number;
  /** The offset in the file, and how many bits of that byte belong to what is before. */
  readonly fileAt: number;
  readonly bit: number;
  /** Where the index has the text before the point, compressed; length 0 for none. */
  readonly windowAt: number;
  readonly windowBytes: number;
}

// Text between two points is unpacked at once.
export const maxSpanBytes: number = 64 * 2 ** 20;

const fields = 5;

export function writePoints(writer: IndexWriter, kind: "gzip" | "zstd", points: readonly RestartPoint[]): RestartTable {
  const table = Float64Array.from(
    points.flatMap(({ textAt, fileAt, bit, windowAt, windowBytes }) => [textAt, fileAt, bit, windowAt, windowBytes]),
  );
  return { kind, at: writer.append(Buffer.from(table.buffer)), count: points.length };
}

/** The points of an index, as columns: a large file has a hundred thousand. */
export class RestartPoints {
  readonly count: number;
  private readonly table: Float64Array;

  constructor(index: IndexFile, { at, count }: RestartTable) {
    this.count = count;
    this.table = new Float64Array(new Uint8Array(index.readBytes(at, count * fields * 8)).buffer);
  }

  get(point: number): RestartPoint {
    const [textAt = 0, fileAt = 0, bit = 0, windowAt = 0, windowBytes = 0] = this.table.subarray(
      point * fields,
      (point + 1) * fields,
    );
    return { textAt, fileAt, bit, windowAt, windowBytes };
  }

  /** The last point at or before an offset of the text. */
  before(offset: number): number {
    let [low, high] = [0, this.count - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.table[middle * fields]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
