import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { DType, NdArray } from "../formats/nd-array.ts";
import { NpyAppender, type NpyCheckpoint } from "../formats/npy/npy-appender.ts";
import { crcText } from "../shared/crc32.ts";
import type { ShardFile } from "../store/done.ts";
import { checkFileName } from "../store/shard-file-names.ts";
import type { Writer, WriterCheckpoint } from "./writer.ts";

/** The name of the file, and what every row has. */
export interface NpyWriterOptions {
  /** The file, `embeddings.npy` for instance. */
  readonly name: string;
  /** What a row is. Default: what the first array is. */
  readonly dtype?: DType;
  readonly rowShape?: readonly number[];
}

interface Token {
  readonly dtype: DType;
  readonly rowShape: readonly number[];
  readonly at: NpyCheckpoint;
}

/** One npy file a shard that grows row by row. */
export class NpyRowsWriter implements Writer<NdArray> {
  private readonly path: string;
  private readonly options: NpyWriterOptions;
  private rows: { readonly dtype: DType; readonly rowShape: readonly number[]; readonly file: NpyAppender } | undefined;
  private closed: { bytes: number; crc32: number } | undefined;

  constructor(shardDir: string, options: NpyWriterOptions) {
    this.options = { ...options, name: checkFileName(options.name) };
    this.path = join(shardDir, this.options.name);
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
    // Without a checksum: the number of rows in the header is put in at the end, which a kill may come right after.
    return { files: [{ name: this.options.name, bytes: at.bytes }], token };
  }

  restore({ files, token }: WriterCheckpoint): void {
    if (files.length === 0) return;
    const { dtype, rowShape, at } = token as Token;
    this.rows = this.open({ dtype, rowShape, resume: at });
  }

  close(): void {
    this.closed ??= this.rows?.file.close();
  }

  files(): readonly ShardFile[] {
    if (this.closed === undefined) return [];
    return [{ name: this.options.name, bytes: this.closed.bytes, crc32: crcText(this.closed.crc32) }];
  }

  private open(options: { dtype: DType; rowShape: readonly number[]; resume?: NpyCheckpoint }) {
    mkdirSync(dirname(this.path), { recursive: true });
    return { ...options, file: new NpyAppender(this.path, options) };
  }
}

/** Arrays of one shape as the rows of one npy file. With checkpoints; `mergeNpy` makes one file of all shards. */
export function npyWriter(shardDir: string, options: NpyWriterOptions): NpyRowsWriter {
  return new NpyRowsWriter(shardDir, options);
}
