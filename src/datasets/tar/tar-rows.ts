import { HeldPieces } from "../../formats/held-pieces.ts";
import { refuseFile } from "../../formats/refuse-file.ts";
import { readTarPart, type TarEntry } from "../../formats/tar/read-tar.ts";
import { isThenable } from "../../runtime/is-thenable.ts";
import type { IndexFile } from "../index/index-file.ts";
import { RowSpans } from "../index/row-spans.ts";
import type { ByteStore } from "../source/byte-store.ts";

/** The rows of an archive: each is one read from its first header to the next row's. */
export class TarRows {
  readonly length: number;
  readonly digest: string;
  readonly name: string;
  private readonly store: ByteStore;
  private readonly index: IndexFile;
  private readonly spans: RowSpans;

  constructor(store: ByteStore, index: IndexFile) {
    this.store = store;
    this.index = index;
    this.spans = new RowSpans(index);
    this.name = store.name;
    this.length = index.rows;
    this.digest = `${index.footer.subject.rules} ${index.rows} rows, ${store.size} bytes, crc ${index.footer.crc}`;
  }

  /** The files of a row, handed to a function: at once where the archive is of this machine. */
  read<T>(row: number, use: (files: Iterable<TarEntry>, source: HeldPieces) => T): T | Promise<T> {
    this.spans.locate(row);
    const { start, end } = this.spans;
    const bytes = this.store.read(start, end - start);
    const decode = (piece: Uint8Array): T => {
      const source = new HeldPieces(this.name, [{ offset: start, bytes: piece }]);
      return use(readTarPart(source, start), source);
    };
    return isThenable(bytes) ? Promise.resolve(bytes).then(decode) : decode(bytes);
  }

  /** The error for a row that is not what the index says: the file was changed without a trace in size and time. */
  changed(row: number): Error {
    this.spans.locate(row);
    return refuseFile(this.name, this.spans.start, "the index has another file here", {
      hint: "The archive was changed after its index was built: delete the index beside it (.rows) and open it again.",
    });
  }

  async close(): Promise<void> {
    this.index.close();
    await this.store.close();
  }
}
