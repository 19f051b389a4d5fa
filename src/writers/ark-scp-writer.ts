import { basename } from "node:path";
import { encodeArkEntry } from "../formats/kaldi/encode-ark-entry.ts";
import { formatScpLine } from "../formats/kaldi/scp-line.ts";
import type { ShardFile } from "../store/done.ts";
import { checkFileName } from "../store/shard-file-names.ts";
import type { ArrayRecord } from "./array-record.ts";
import { GrowingFile } from "./growing-file.ts";
import { LineWriter } from "./line-writer.ts";
import { withoutLines } from "./path-list.ts";
import type { Writer, WriterCheckpoint } from "./writer.ts";

/** How the archive and the list of a shard are written. */
export interface ArkScpWriterOptions {
  /** The archive is `name.ark`, the list `name.scp` beside it. May lead into a folder: `dump/feats`. */
  readonly name: string;
  /** Kaldi's text form instead of its binary one. Default false. */
  readonly text?: boolean;
}

/** All arrays of a shard in one Kaldi archive, and the list that points into it. */
export class ArkScpWriter implements Writer<ArrayRecord> {
  private readonly ark: GrowingFile;
  private readonly list: LineWriter<string>;
  private readonly arkName: string;
  private readonly encoding: { readonly text: boolean; readonly allocate: (bytes: number) => Buffer };
  private scratch = Buffer.allocUnsafeSlow(1 << 12);

  constructor(shardDir: string, { name, text = false }: ArkScpWriterOptions) {
    this.ark = new GrowingFile(shardDir, checkFileName(`${name}.ark`));
    this.list = new LineWriter(shardDir, checkFileName(`${name}.scp`), (line) => line);
    this.arkName = basename(this.ark.name);
    // Keys are checked one by one; whether a list can name this archive is asked once.
    formatScpLine({ key: "any", path: this.arkName, offset: 0 });
    this.encoding = { text, allocate: (bytes) => this.room(bytes) };
  }

  write({ id, array }: ArrayRecord): void {
    const { bytes, valueOffset } = encodeArkEntry(id, array, this.encoding);
    this.list.write(`${id} ${this.arkName}:${this.ark.bytes + valueOffset}`);
    this.ark.append(bytes);
  }

  checkpoint(): WriterCheckpoint {
    const { files, token } = this.list.checkpoint();
    return { files: [...files, ...this.ark.checkpoint()], token };
  }

  restore({ files: [list, ark], token }: WriterCheckpoint): void {
    if (list === undefined || ark === undefined) return;
    this.list.restore({ files: [list], token });
    this.ark.restore(ark);
  }

  close(): void {
    this.list.close();
    this.ark.close();
  }

  files(): readonly ShardFile[] {
    return [...withoutLines(this.list.files()), ...this.ark.files()];
  }

  /** One buffer for all entries: each is in the file, or in its buffer, before the next one comes. */
  private room(bytes: number): Buffer {
    if (bytes > this.scratch.length) this.scratch = Buffer.allocUnsafeSlow(2 * bytes);
    return this.scratch.subarray(0, bytes);
  }
}

/**
 * A Kaldi archive a shard, `name.ark`, and its list `name.scp`. Float32 and float64 of one or two dimensions, int32 of one.
 * With checkpoints; `mergeScp` makes one list of all shards, which points into their archives.
 */
export function arkScpWriter(shardDir: string, options: ArkScpWriterOptions): ArkScpWriter {
  return new ArkScpWriter(shardDir, options);
}
