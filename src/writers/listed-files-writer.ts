import { closeSync, mkdirSync, openSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type SafeFileNameOptions, safeFileName } from "../formats/safe-file-name.ts";
import { crc32, crcText } from "../shared/crc32.ts";
import { errnoOf, MillraceError } from "../shared/errors.ts";
import type { ShardFile } from "../store/done.ts";
import { storeError, writeFully } from "../store/durable-files.ts";
import { checkFileName } from "../store/shard-file-names.ts";
import { checkListedId } from "./array-record.ts";
import { LineWriter } from "./line-writer.ts";
import { withoutLines } from "./path-list.ts";
import type { Writer, WriterCheckpoint } from "./writer.ts";

export interface ListedFilesOptions extends SafeFileNameOptions {
  /** The list is `name.scp`, the files are in `data_name` beside it. May lead into a folder: `collect_feats/feats`. */
  readonly name: string;
}

/** How a record becomes a file of its own. */
export interface FileForm<Record> {
  /** With its dot. */
  readonly suffix: string;
  readonly encode: (record: Record) => Uint8Array;
}

/** One file an id, and a list `id path` with paths that count from the list's own folder. */
export class ListedFilesWriter<Record extends { readonly id: string }> implements Writer<Record> {
  private readonly shardDir: string;
  private readonly folder: string;
  private readonly naming: SafeFileNameOptions;
  private readonly form: FileForm<Record>;
  private readonly list: LineWriter<string>;
  private written: ShardFile[] = [];
  private isFolderMade = false;

  constructor(shardDir: string, { name, ...naming }: ListedFilesOptions, form: FileForm<Record>) {
    const listName = checkFileName(`${name}.scp`);
    this.shardDir = shardDir;
    this.naming = naming;
    this.form = form;
    this.folder = join(dirname(listName), `data_${basename(listName, ".scp")}`).replaceAll("\\", "/");
    this.list = new LineWriter(shardDir, listName, (line) => line);
  }

  write(record: Record): void {
    const { id } = record;
    const file = `${safeFileName(checkListedId(id), this.naming)}${this.form.suffix}`;
    const name = `${this.folder}/${file}`;
    const bytes = this.form.encode(record);
    const path = join(this.shardDir, name);
    const fd = this.create(path, id);
    try {
      writeFully(fd, bytes, path);
    } finally {
      closeSync(fd);
    }
    this.written.push({ name, bytes: bytes.length, crc32: crcText(crc32(bytes)) });
    this.list.write(`${id} ${basename(this.folder)}/${file}`);
  }

  checkpoint(): WriterCheckpoint {
    const { files, token } = this.list.checkpoint();
    return { files: [...files, ...this.written], token };
  }

  restore({ files: [list, ...written], token }: WriterCheckpoint): void {
    if (list === undefined) return;
    this.list.restore({ files: [list], token });
    this.written = written as ShardFile[];
    this.isFolderMade = true;
  }

  close(): void {
    this.list.close();
  }

  files(): readonly ShardFile[] {
    return [...withoutLines(this.list.files()), ...this.written];
  }

  /** A new file: one that is there was written for the same id, or for one that this file system does not tell apart. */
  private create(path: string, id: string): number {
    try {
      if (!this.isFolderMade) mkdirSync(dirname(path), { recursive: true });
      this.isFolderMade = true;
      return openSync(path, "wx");
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw storeError(error, path);
      throw new MillraceError("BAD_RECORD", `The id ${JSON.stringify(id)} came twice: ${path} is there already.`, {
        cause: error,
        hint: "Ids must be unique. Where they differ in case only and the file system does not tell, pass caseInsensitive: true.",
      });
    }
  }
}
