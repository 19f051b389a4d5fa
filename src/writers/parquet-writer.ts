import { basename, join } from "node:path";
import { withFileSource } from "../formats/file-source.ts";
import { checkColumns, type ParquetRow } from "../formats/parquet/check-row.ts";
import { makeParquetEncoder, type ParquetOptions } from "../formats/parquet/encode-parquet.ts";
import { decodeRows, RowEncoder } from "../formats/parquet/row-log.ts";
import type { ShardFile } from "../run-folder/shard/done.ts";
import { checkFileName, checkpointFileName } from "../run-folder/shard/shard-file-names.ts";
import { GrowingFile } from "./growing-file.ts";
import { partsName, writeParts } from "./shard-parts.ts";
import type { Writer, WriterCheckpoint } from "./writer.ts";

/** The name of the table, its columns, and how they are stored. */
export interface ParquetWriterOptions extends ParquetOptions {
  /** The file is `name.parquet`; `name.parts.json` beside it describes it. May contain a folder: `data/train`. */
  readonly name: string;
}

/**
 * One Parquet file per shard. A row group is written as a whole, and the index of all groups is at the end, so a
 * truncated file is invalid. Rows are therefore written to a log, which a checkpoint can truncate anywhere, and become
 * the file when the shard is complete: the same rows give the same bytes.
 */
export class ParquetShardWriter implements Writer<ParquetRow>, AsyncDisposable {
  private readonly shardDir: string;
  private readonly options: ParquetWriterOptions;
  private readonly log: GrowingFile;
  private readonly file: GrowingFile;
  private readonly encoder: RowEncoder;
  private rows = 0;
  private closing: Promise<void> | undefined;
  private described: ShardFile[] = [];

  constructor(shardDir: string, options: ParquetWriterOptions) {
    checkColumns(options.columns);
    this.shardDir = shardDir;
    this.options = options;
    this.file = new GrowingFile(shardDir, checkFileName(`${options.name}.parquet`));
    this.log = new GrowingFile(shardDir, checkpointFileName(`${this.file.name}.rows`));
    this.encoder = new RowEncoder(options.columns);
  }

  write(row: ParquetRow): void {
    this.log.append(this.encoder.encode(row, this.rows));
    this.rows++;
  }

  checkpoint(): WriterCheckpoint {
    return { files: this.log.checkpoint(), token: this.rows };
  }

  restore({ files: [log], token }: WriterCheckpoint): void {
    if (log === undefined) return;
    this.log.restore(log);
    this.rows = Number(token);
  }

  close(): Promise<void> {
    this.closing ??= this.complete();
    return this.closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  leave(): void {
    this.closing ??= Promise.resolve();
    this.log.close();
  }

  files(): readonly ShardFile[] {
    return this.described;
  }

  private async complete(): Promise<void> {
    this.log.close();
    if (this.rows === 0) return;
    const encoder = await makeParquetEncoder(this.options);
    try {
      withFileSource(this.log.path, (source) => {
        for (const row of decodeRows(source, this.options.columns)) {
          const group = encoder.add(row);
          if (group !== undefined) this.file.append(group);
        }
      });
      this.file.append(encoder.end());
    } finally {
      this.file.close();
    }
    const { name, columns } = this.options;
    const [{ bytes, crc32 }] = this.file.files() as [ShardFile];
    const parts = [{ path: basename(this.file.name), rows: this.rows, bytes, crc32 }];
    const list = writeParts(join(this.shardDir, partsName(name)), name, { parts, columns });
    this.described = [...this.file.files(), list];
  }
}

/**
 * Rows as one Parquet file per shard, with checkpoints. `mergeParquet` keeps the files as parts of one data set, with
 * an index and a card. While a shard runs its rows are on disk uncompressed; at its end both copies exist for a moment.
 */
export function parquetWriter(shardDir: string, options: ParquetWriterOptions): ParquetShardWriter {
  return new ParquetShardWriter(shardDir, options);
}
