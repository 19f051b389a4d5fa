import { basename } from "node:path";
import { maxReserved } from "../formats/file-sink.ts";
import { binaryValueBytes, putBinaryValue } from "../formats/kaldi/binary-value.ts";
import { checkKaldiKey, checkKaldiValue, encodeArkEntry } from "../formats/kaldi/encode-ark-entry.ts";
import { formatScpLine } from "../formats/kaldi/scp-line.ts";
import type { ShardFile } from "../run-folder/shard/done.ts";
import { checkFileName } from "../run-folder/shard/shard-file-names.ts";
import type { ArrayRecord } from "./array-record.ts";
import { GrowingFile } from "./growing-file.ts";
import { LineWriter } from "./line-writer.ts";
import { withoutLines } from "./path-list.ts";
import type { Writer, WriterCheckpoint } from "./writer.ts";

/** Options of {@link arkScpWriter}. */
export interface ArkScpWriterOptions {
  /** The archive is `name.ark`, the list `name.scp` beside it. May contain a folder: `dump/feats`. */
  readonly name: string;
  /** Kaldi's text form instead of its binary one. Default false. */
  readonly text?: boolean;
}

/** All arrays of a shard in one Kaldi archive, and the list that points into it. */
export class ArkScpWriter implements Writer<ArrayRecord>, Disposable {
  private readonly ark: GrowingFile;
  private readonly list: LineWriter<string>;
  private readonly arkName: string;
  private readonly text: boolean;

  constructor(shardDir: string, { name, text = false }: ArkScpWriterOptions) {
    this.ark = new GrowingFile(shardDir, checkFileName(`${name}.ark`));
    this.list = new LineWriter(shardDir, checkFileName(`${name}.scp`), (line) => line);
    this.arkName = basename(this.ark.name);
    // Keys are checked one by one; whether a list can name this archive is checked once.
    formatScpLine({ key: "any", path: this.arkName, offset: 0 });
    this.text = text;
  }

  write({ id, array }: ArrayRecord): void {
    const value = checkKaldiValue(array);
    checkKaldiKey(id);
    // A UTF-16 code unit takes up to three bytes.
    const maxBytes = 3 * id.length + 1 + binaryValueBytes(value);
    if (this.text || maxBytes > maxReserved) {
      const { bytes, valueOffset } = encodeArkEntry(id, array, { text: this.text });
      this.listValue(id, valueOffset);
      this.ark.append(bytes);
      return;
    }
    this.ark.appendInPlace(maxBytes, (buffer, start) => {
      const valueStart = putKey(buffer, start, id);
      this.listValue(id, valueStart - start);
      return putBinaryValue(buffer, valueStart, value);
    });
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

  [Symbol.dispose](): void {
    this.close();
  }

  files(): readonly ShardFile[] {
    return [...withoutLines(this.list.files()), ...this.ark.files()];
  }

  private listValue(id: string, offset: number): void {
    this.list.write(`${id} ${this.arkName}:${this.ark.bytes + offset}`);
  }
}

/**
 * Writes a key and the space after it; returns their end. Keys are short: for ASCII keys a call into Node costs more.
 */
function putKey(buffer: Buffer, start: number, key: string): number {
  let at = start;
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i);
    if (code > 0x7f) {
      at = start + buffer.write(key, start);
      break;
    }
    buffer[at++] = code;
  }
  buffer[at++] = 0x20;
  return at;
}

/**
 * One Kaldi archive per shard, `name.ark`, and its list `name.scp`. Float32 and float64 of one or two dimensions, int32
 * of one. With checkpoints; `mergeScp` makes one list of all shards, which refers to their archives.
 */
export function arkScpWriter(shardDir: string, options: ArkScpWriterOptions): ArkScpWriter {
  return new ArkScpWriter(shardDir, options);
}
