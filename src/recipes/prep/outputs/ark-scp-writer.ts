import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { encodeArkEntry, type NdArray } from "../../../formats.ts";
import { type FilePrefix, textWriter, type Writer, type WriterCheckpoint } from "../../../index.ts";

/** One Kaldi archive a shard and the list that points into it. With checkpoints. */
export function arkScpWriter(
  shardDir: string,
  { name }: { readonly name: string },
): Writer<{ readonly id: string; readonly array: NdArray }> & Required<Pick<Writer, "checkpoint" | "restore">> {
  const arkName = `${name}.ark`;
  const path = join(shardDir, arkName);
  const list = textWriter(shardDir, `${name}.scp`);
  let fd: number | undefined;
  let size = 0;
  return {
    write({ id, array }) {
      const { bytes, valueOffset } = encodeArkEntry(id, array);
      fd ??= openSync(path, "w");
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      list.write(`${id} ${arkName}:${size + valueOffset}`);
      size += bytes.length;
    },
    checkpoint(): WriterCheckpoint {
      const { files, token } = list.checkpoint();
      const archive: FilePrefix[] = size === 0 ? [] : [{ name: arkName, bytes: size }];
      return { files: [...files, ...archive], token };
    },
    restore({ files: [lines, archive], token }) {
      if (lines === undefined || archive === undefined) return;
      list.restore({ files: [lines], token });
      fd = openSync(path, "a");
      size = archive.bytes;
    },
    close() {
      list.close();
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}
