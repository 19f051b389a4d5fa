import { basename, dirname, join } from "node:path";
import { crc32, crcText } from "../bytes/crc32.ts";
import { errnoOf, MillraceError } from "../errors/errors.ts";
import type { NdArray } from "../formats/nd-array.ts";
import { type SafeFileNameOptions, safeFileName } from "../formats/safe-file-name.ts";
import { writeFully } from "../run-folder/files/durable-files.ts";
import { closeSync, closeWritten, mkdirSync, openSync, statSync } from "../run-folder/files/store-calls.ts";
import { storeError } from "../run-folder/files/store-trouble.ts";
import type { ShardFile } from "../run-folder/shard/done.ts";
import { checkFileName, fileOf } from "../run-folder/shard/shard-file-names.ts";
import { type ArrayRecord, checkListedId } from "./array-record.ts";
import { LineWriter } from "./line-writer.ts";
import { withoutLines } from "./path-list.ts";
import type { Writer, WriterCheckpoint } from "./writer.ts";

/** The names of the list and of the files. */
export interface ArrayFilesOptions extends SafeFileNameOptions {
  /** The list is `name.scp`, the arrays are in `data_name` beside it. May contain a folder: `collect_feats/feats`. */
  readonly name: string;
}

/** How an array, or another value, becomes a file. */
export interface ArrayCodec<Value> {
  /** How the name of each file ends: `.npy`. */
  readonly suffix: string;
  readonly encode: (array: Value) => Uint8Array;
}

/** One file per array, and a list `id path` with paths relative to the list's folder. */
export class ArrayFilesWriter<Value = NdArray> implements Writer<ArrayRecord<Value>>, Disposable {
  private readonly shardDir: string;
  private readonly folder: string;
  private readonly naming: SafeFileNameOptions;
  private readonly codec: ArrayCodec<Value>;
  private readonly list: LineWriter<string>;
  private arrays: ShardFile[] = [];
  private isFolderMade = false;

  constructor(shardDir: string, { name, ...naming }: ArrayFilesOptions, codec: ArrayCodec<Value>) {
    const listName = checkFileName(`${name}.scp`);
    this.shardDir = shardDir;
    this.naming = naming;
    this.codec = codec;
    this.folder = join(dirname(listName), `data_${basename(listName, ".scp")}`).replaceAll("\\", "/");
    this.list = new LineWriter(shardDir, listName, (line) => line);
  }

  write({ id, array }: ArrayRecord<Value>): void {
    const file = `${safeFileName(checkListedId(id), this.naming)}${this.codec.suffix}`;
    const name = `${this.folder}/${file}`;
    const bytes = this.codec.encode(array);
    const path = fileOf(this.shardDir, name);
    const fd = this.create(path, id);
    try {
      writeFully(fd, bytes, path);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    this.attempt(path, () => closeWritten(fd));
    this.arrays.push({ name, bytes: bytes.length, crc32: crcText(crc32(bytes)) });
    this.list.write(`${id} ${basename(this.folder)}/${file}`);
  }

  checkpoint(): WriterCheckpoint {
    const { files, token } = this.list.checkpoint();
    return { files: [...files, ...this.arrays], token };
  }

  restore({ files: [list, ...arrays], token }: WriterCheckpoint): void {
    if (list === undefined) return;
    this.list.restore({ files: [list], token });
    this.arrays = arrays as ShardFile[];
    this.isFolderMade = true;
  }

  close(): void {
    this.list.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  files(): readonly ShardFile[] {
    return [...withoutLines(this.list.files()), ...this.arrays];
  }

  private attempt<Result>(path: string, act: () => Result): Result {
    try {
      return act();
    } catch (error) {
      throw storeError(error, path);
    }
  }

  // Only this attempt writes here. An empty file that it has not written was made by a call whose answer was lost.
  private isOwnRest(path: string): boolean {
    const name = basename(path).toLowerCase();
    const isWritten = this.arrays.some((array) => basename(array.name).toLowerCase() === name);
    return !isWritten && statSync(path).size === 0;
  }

  /** A new file: an existing one was written for the same id, or for one that this file system does not distinguish. */
  private create(path: string, id: string): number {
    try {
      if (!this.isFolderMade) mkdirSync(dirname(path), { recursive: true });
      this.isFolderMade = true;
      return openSync(path, "wx");
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw storeError(error, path);
      if (this.isOwnRest(path)) return this.attempt(path, () => openSync(path, "w"));
      throw new MillraceError("BAD_RECORD", `The id ${JSON.stringify(id)} came twice: ${path} exists already.`, {
        cause: error,
        hint: "Ids must be unique. If they differ in case only and the file system ignores case, pass caseInsensitive: true.",
      });
    }
  }
}

/**
 * One file per record, as `codec` encodes it, under a safe name, and `name.scp` with the ids. With checkpoints; `mergeScp` makes
 * one list of all shards.
 */
export function filesScpWriter<Value>(
  shardDir: string,
  options: ArrayFilesOptions,
  codec: ArrayCodec<Value>,
): ArrayFilesWriter<Value> {
  return new ArrayFilesWriter(shardDir, options, codec);
}
