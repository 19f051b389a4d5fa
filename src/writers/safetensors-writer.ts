import { MillraceError } from "../errors/errors.ts";
import { bytesOfArray } from "../formats/array-bytes.ts";
import { type FileSource, withFileSource } from "../formats/file-source.ts";
import { readBytes } from "../formats/read-bytes.ts";
import {
  checkTensor,
  encodeSafetensorsHeader,
  type SafetensorsOptions,
  type TensorShape,
} from "../formats/safetensors/encode-safetensors.ts";
import type { ShardFile } from "../run-folder/shard/done.ts";
import { readRecords } from "../run-folder/shard/read-records.ts";
import { checkFileName, checkpointFileName } from "../run-folder/shard/shard-file-names.ts";
import type { ArrayRecord } from "./array-record.ts";
import { GrowingFile } from "./growing-file.ts";
import { LineWriter } from "./line-writer.ts";
import type { Writer, WriterCheckpoint } from "./writer.ts";

/** The name of the file, and the metadata of its header. */
export interface SafetensorsWriterOptions extends SafetensorsOptions {
  /** The file is `name.safetensors`. May contain a folder. */
  readonly name: string;
}

const copyBytes = 1 << 22;

/**
 * One safetensors file per shard. Its header comes first but is known last: data and header entries are written to
 * separate files, which a checkpoint can truncate, and are combined when the shard is complete.
 */
export class SafetensorsShardWriter implements Writer<ArrayRecord>, Disposable {
  private readonly options: SafetensorsOptions;
  private readonly data: GrowingFile;
  private readonly list: LineWriter<TensorShape>;
  private readonly listPath: string;
  private readonly file: GrowingFile;
  private shapes = new Map<string, TensorShape>();
  private isClosed = false;

  constructor(shardDir: string, { name, ...options }: SafetensorsWriterOptions) {
    this.options = options;
    this.file = new GrowingFile(shardDir, checkFileName(`${name}.safetensors`));
    this.data = new GrowingFile(shardDir, checkpointFileName(`${this.file.name}.data`));
    const list = new GrowingFile(shardDir, checkpointFileName(`${this.file.name}.tensors`));
    this.listPath = list.path;
    this.list = new LineWriter<TensorShape>(shardDir, list.name, JSON.stringify);
  }

  write({ id, array }: ArrayRecord): void {
    const shape = checkTensor(id, array);
    if (this.shapes.has(id)) {
      throw new MillraceError(
        "BAD_RECORD",
        `The id ${JSON.stringify(id)} came twice: a tensor of that name exists already.`,
        {
          hint: "Ids must be unique within a file of tensors.",
        },
      );
    }
    this.data.append(bytesOfArray(array));
    this.list.write(shape);
    this.shapes.set(id, shape);
  }

  checkpoint(): WriterCheckpoint {
    const { files, token } = this.list.checkpoint();
    return { files: [...files, ...this.data.checkpoint()], token };
  }

  restore({ files: [list, data], token }: WriterCheckpoint): void {
    if (list === undefined || data === undefined) return;
    this.shapes = new Map([...readRecords<TensorShape>(this.listPath)].map((shape) => [shape.name, shape]));
    this.list.restore({ files: [list], token });
    this.data.restore(data);
  }

  close(): void {
    if (this.isClosed) return;
    this.leave();
    if (this.shapes.size === 0) return;
    try {
      this.file.append(encodeSafetensorsHeader(this.shapes.values(), this.options));
      withFileSource(this.data.path, (source) => this.appendAll(source));
    } finally {
      this.file.close();
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }

  leave(): void {
    this.isClosed = true;
    this.list.close();
    this.data.close();
  }

  files(): readonly ShardFile[] {
    return this.file.files();
  }

  private appendAll(source: FileSource): void {
    for (let at = 0; at < source.size; at += copyBytes) {
      this.file.append(readBytes(source, at, Math.min(copyBytes, source.size - at), "the data"));
    }
  }
}

/**
 * All arrays of a shard as the tensors of one safetensors file, by their ids. With checkpoints; `mergeSafetensors`
 * makes the index that maps tensors to files. While a shard runs its data is on disk beside the file; at its end both
 * copies exist for a moment.
 */
export function safetensorsWriter(shardDir: string, options: SafetensorsWriterOptions): SafetensorsShardWriter {
  return new SafetensorsShardWriter(shardDir, options);
}
