import { dirname, join } from "node:path";
import { crcText } from "../bytes/crc32.ts";
import { MillraceError } from "../errors/errors.ts";
import { withFileSource } from "../formats/file-source.ts";
import { npyHeader } from "../formats/npy/encode-npy.ts";
import { type NpyHeader, readNpyHeader } from "../formats/npy/read-npy-header.ts";
import { digestFile } from "../run-folder/files/digest-bytes.ts";
import { writeFully } from "../run-folder/files/durable-files.ts";
import { damagedShard, type ShardFile } from "../run-folder/shard/done.ts";
import { filesOf, openShards } from "./concatenate-shard-files.ts";
import { writeMergedFile } from "./write-merged-file.ts";

interface Part {
  readonly path: string;
  readonly file: ShardFile;
  readonly header: NpyHeader;
}

/**
 * Concatenates the rows of every shard's npy file, in item order, into one npy file: by default with the same name
 * beside the shards' folders. Only one chunk is in memory at a time. Returns the number of rows.
 */
export function mergeNpy(shardDirs: readonly string[], name: string, target?: string): number {
  const fileName = `${name}.npy`;
  const parts = filesOf(openShards(shardDirs), fileName).map(({ dir, file }) => {
    const path = join(dir, fileName);
    return { path, file, header: withFileSource(path, readNpyHeader) };
  });
  const [first] = parts;
  if (first === undefined) throw nothing(fileName);
  for (const part of parts) requireSameRows(first, part);
  const rows = parts.reduce((sum, { header }) => sum + header.shape[0]!, 0);
  const { dtype, shape } = first.header;
  const within = target === undefined ? dirname(shardDirs[0]!) : undefined;
  const path = target ?? join(dirname(shardDirs[0]!), fileName);
  writeMergedFile({ target: path, within }, (fd) => {
    writeFully(fd, npyHeader(dtype, [rows, ...shape.slice(1)]), path);
    for (const part of parts) appendRows(fd, path, part);
  });
  return rows;
}

function appendRows(target: number, targetPath: string, { path, file, header }: Part): void {
  const { digest } = digestFile(path, (bytes, at) => {
    const skipped = Math.min(bytes.length, Math.max(0, header.dataOffset - at));
    if (skipped < bytes.length) writeFully(target, bytes.subarray(skipped), targetPath);
  });
  if (crcText(digest) !== file.crc32) throw damagedShard(`the bytes of ${path} are not those that were committed`);
}

function requireSameRows(first: Part, part: Part): void {
  const rowOf = ({ header }: Part) => `${header.dtype} [${header.shape.slice(1).join(", ")}]`;
  if (rowOf(first) === rowOf(part)) return;
  throw new MillraceError(
    "MERGE_FAILED",
    `${part.path} has rows of ${rowOf(part)}, ${first.path} of ${rowOf(first)}: they cannot be one array.`,
    { hint: "Pass dtype and rowShape to npyWriter, so that the item that differs is named when it is written." },
  );
}

function nothing(name: string): MillraceError {
  return new MillraceError("MERGE_FAILED", `No shard has a file ${name}.`, {
    hint: "Pass the same name as to npyWriter. A shard whose items were all dropped has no file.",
  });
}
