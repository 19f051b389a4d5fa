import { closeSync, openSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { withFileSource } from "../formats/file-source.ts";
import { npyHeader } from "../formats/npy/encode-npy.ts";
import { type NpyHeader, readNpyHeader } from "../formats/npy/read-npy-header.ts";
import { crc32, crcText } from "../shared/crc32.ts";
import { MillraceError } from "../shared/errors.ts";
import { damagedShard, type ShardFile } from "../store/done.ts";
import { writeFully } from "../store/durable-files.ts";
import { filesOf, openShards } from "./concatenate-shard-files.ts";
import { makeAtOnce } from "./make-at-once.ts";

interface Part {
  readonly path: string;
  readonly file: ShardFile;
  readonly header: NpyHeader;
}

/**
 * Puts the rows of every shard's npy file one behind the other, in item order, into one npy file: by default under the same
 * name beside the shards' folders. No more than a piece is in memory. Says how many rows it has.
 */
export function mergeNpy(shardDirs: readonly string[], name: string, target?: string): number {
  const parts = filesOf(openShards(shardDirs), name).map(({ dir, file }) => {
    const path = join(dir, name);
    return { path, file, header: withFileSource(path, readNpyHeader) };
  });
  const [first] = parts;
  if (first === undefined) throw nothing(name);
  for (const part of parts) requireSameRows(first, part);
  const rows = parts.reduce((sum, { header }) => sum + header.shape[0]!, 0);
  const { dtype, shape } = first.header;
  const path = target ?? join(dirname(shardDirs[0]!), name);
  makeAtOnce(path, (fd) => {
    writeFully(fd, npyHeader(dtype, [rows, ...shape.slice(1)]), path);
    for (const part of parts) appendRows(fd, path, part);
  });
  return rows;
}

const chunk = Buffer.allocUnsafeSlow(1 << 20);

function appendRows(target: number, targetPath: string, { path, file, header }: Part): void {
  const source = openSync(path, "r");
  try {
    let digest = 0;
    for (let at = 0; ; ) {
      const read = readSync(source, chunk, 0, chunk.length, at);
      if (read === 0) break;
      const bytes = chunk.subarray(0, read);
      digest = crc32(bytes, digest);
      const skipped = Math.min(read, Math.max(0, header.dataOffset - at));
      if (skipped < read) writeFully(target, bytes.subarray(skipped), targetPath);
      at += read;
    }
    if (crcText(digest) !== file.crc32) throw damagedShard(`the bytes of ${path} are not those that were committed`);
  } finally {
    closeSync(source);
  }
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
    hint: "Give the name that npyWriter got; a shard whose items were all dropped has none.",
  });
}
