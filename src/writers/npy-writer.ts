import { dirname, join } from "node:path";
import { crcText } from "../bytes/crc32.ts";
import type { DType, NdArray } from "../formats/nd-array.ts";
import { NpyAppender, type NpyCheckpoint } from "../formats/npy/npy-appender.ts";
import { mkdirSync } from "../run-folder/files/store-calls.ts";
import type { ShardFile } from "../run-folder/shard/done.ts";
import { checkFileName } from "../run-folder/shard/shard-file-names.ts";
import type { Writer, WriterCheckpoint } from "./writer.ts";

/** The name of the file, and the type of its rows. */
export interface NpyWriterOptions {
  /** The file is `name.npy`. May lead into a folder: `dump/embeddings`. */
  readonly name: string;
  /** The type of a row. Default: that of the first array. */
  readonly dtype?: DType;
  readonly rowShape?: readonly number[];
}

interface Token {
  readonly dtype: DType;
  readonly rowShape: readonly number[];
  readonly at: NpyCheckpoint;
}

/** One npy file per shard that grows row by row. */
export class NpyRowsWriter implements Writer<NdArray>, Disposable {
  private readonly name: string;
  private readonly path: string;
  private readonly options: NpyWriterOptions;
  private rows: { readonly dtype: DType; readonly rowShape: readonly number[]; readonly file: NpyAppender } | undefined;
  private closed: { bytes: number; crc32: number } | undefined;

  constructor(shardDir: string, options: NpyWriterOptions) {
    this.name = checkFileName(`${options.name}.npy`);
    this.path = join(shardDir, this.name);
    this.options = options;
  }

  write(array: NdArray): void {
    const { dtype = array.dtype, rowShape = array.shape } = this.options;
    this.rows ??= this.open({ dtype, rowShape });
    this.rows.file.append(array);
  }

  checkpoint(): WriterCheckpoint {
    if (this.rows === undefined) return { files: [] };
    const { dtype, rowShape, file } = this.rows;
    const at = file.checkpoint();
    const token: Token = { dtype, rowShape, at };
    // Without a checksum: the number of rows in the header is written at the end, and a kill may come right after it.
    return { files: [{ name: this.name, bytes: at.bytes }], token };
  }

  restore({ files, token }: WriterCheckpoint): void {
    if (files.length === 0) return;
    const { dtype, rowShape, at } = token as Token;
    this.rows = this.open({ dtype, rowShape, resume: at });
  }

  close(): void {
    this.closed ??= this.rows?.file.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  files(): readonly ShardFile[] {
    if (this.closed === undefined) return [];
    return [{ name: this.name, bytes: this.closed.bytes, crc32: crcText(this.closed.crc32) }];
  }

  private open(options: { dtype: DType; rowShape: readonly number[]; resume?: NpyCheckpoint }) {
    mkdirSync(dirname(this.path), { recursive: true });
    return { ...options, file: new NpyAppender(this.path, options) };
  }
}

/** Arrays of one shape as the rows of `name.npy`. With checkpoints; `mergeNpy` makes one file of all shards. */
export function npyWriter(shardDir: string, options: NpyWriterOptions): NpyRowsWriter {
  return new NpyRowsWriter(shardDir, options);
}
