import { dirname, join } from "node:path";
import { crc32, crcText } from "../bytes/crc32.ts";
import { MillraceError } from "../errors/errors.ts";
import { FileSink } from "../formats/file-sink.ts";
import { withFileSource } from "../formats/file-source.ts";
import { checkNdArray } from "../formats/nd-array.ts";
import { NpzEncoder, type NpzOptions } from "../formats/npy/npz-writer.ts";
import { safeFileName } from "../formats/safe-file-name.ts";
import { resumeZip } from "../formats/zip/resume-zip.ts";
import { problemOfName } from "../formats/zip/zip-records.ts";
import type { ZipPrefix } from "../formats/zip/zip-writer.ts";
import { mkdirSync } from "../run-folder/files/store-calls.ts";
import type { ShardFile } from "../run-folder/shard/done.ts";
import { checkFileName } from "../run-folder/shard/shard-file-names.ts";
import { describeKind } from "../values/state-json.ts";
import type { ArrayRecord } from "./array-record.ts";
import { jsonlWriter } from "./jsonl-writer.ts";
import type { LineWriter } from "./line-writer.ts";
import type { Writer, WriterCheckpoint } from "./writer.ts";

/** The name of the archive, and its compression. */
export interface NpzWriterOptions extends NpzOptions {
  /** The archive is `name.npz`; `name.index.jsonl` maps ids to its arrays. */
  readonly name: string;
}

/** All arrays of a shard in one npz file. */
export class NpzShardWriter implements Writer<ArrayRecord>, Disposable {
  private readonly path: string;
  private readonly name: string;
  private readonly options: NpzOptions;
  private readonly index: LineWriter<{ id: string; array: string }>;
  private sink: FileSink | undefined;
  private encoder: NpzEncoder | undefined;
  private digest = 0;
  private isFinished = false;

  constructor(shardDir: string, { name, ...options }: NpzWriterOptions) {
    this.name = checkFileName(`${name}.npz`);
    this.path = join(shardDir, this.name);
    this.options = options;
    this.index = jsonlWriter(shardDir, `${name}.index.jsonl`);
  }

  write({ id, array }: ArrayRecord): void {
    const name = arrayName(id);
    checkNdArray(array);
    this.begin().add(name, array);
    this.index.write({ id, array: name });
  }

  checkpoint(): WriterCheckpoint {
    const { files, token } = this.index.checkpoint();
    if (this.sink === undefined) return { files: [] };
    this.sink.flush();
    return { files: [...files, { name: this.name, bytes: this.sink.bytes, crc32: crcText(this.digest) }], token };
  }

  restore({ files: [index, archive], token }: WriterCheckpoint): void {
    if (index === undefined || archive === undefined) return;
    this.index.restore({ files: [index], token });
    this.digest = Number.parseInt(archive.crc32 ?? "0", 16);
    // The entries are found by their own headers.
    const prefix = withFileSource(this.path, (source) => resumeZip(source));
    this.begin(prefix);
  }

  close(): void {
    this.index.close();
    if (this.sink === undefined || this.isFinished) return;
    this.isFinished = true;
    try {
      this.encoder!.finish();
    } finally {
      this.sink.close();
    }
  }

  [Symbol.dispose](): void {
    this.close();
  }

  files(): readonly ShardFile[] {
    if (this.sink === undefined) return [];
    return [{ name: this.name, bytes: this.sink.bytes, crc32: crcText(this.digest) }, ...this.index.files()];
  }

  private begin(prefix?: ZipPrefix): NpzEncoder {
    if (this.encoder !== undefined) return this.encoder;
    if (prefix === undefined) mkdirSync(dirname(this.path), { recursive: true });
    const sink = new FileSink(this.path, prefix?.bytes);
    const put = (bytes: Uint8Array) => {
      sink.write(bytes);
      this.digest = crc32(bytes, this.digest);
    };
    this.sink = sink;
    this.encoder = new NpzEncoder(put, this.options, prefix);
    return this.encoder;
  }
}

/** An id is used as the name in the archive if possible; only other names have an equals sign. */
function arrayName(id: string): string {
  if (typeof id !== "string")
    throw new MillraceError("BAD_RECORD", `The id of an array is ${describeKind(id)}; a text was expected.`, {
      hint: "Give every record an id of its own, as a text: { id, array }.",
    });
  const isPlain = !id.includes("=") && id !== "" && problemOfName(`${id}.npy`) === undefined;
  return isPlain && !/\p{Surrogate}/u.test(id) ? id : safeFileName(id);
}

/**
 * All arrays of a shard in `name.npz`, by their ids, and `name.index.jsonl`, which keeps ids that cannot be names in an
 * archive. With checkpoints; `mergeNpz` makes one archive of all shards.
 */
export function npzWriter(shardDir: string, options: NpzWriterOptions): NpzShardWriter {
  return new NpzShardWriter(shardDir, options);
}
