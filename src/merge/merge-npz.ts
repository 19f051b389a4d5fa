import { dirname, join } from "node:path";
import { withFileSource } from "../formats/file-source.ts";
import { openZip } from "../formats/zip/open-zip.ts";
import { readZipEntry } from "../formats/zip/read-zip-entry.ts";
import { ZipWriter } from "../formats/zip/zip-writer.ts";
import { writeFully } from "../run-folder/files/durable-files.ts";
import { concatenate, filesOf, openShards } from "./concatenate-shard-files.ts";
import { writeMergedFile } from "./write-merged-file.ts";

/**
 * Merges the arrays of every shard's `name.npz` into one archive, in item order, and their `name.index.jsonl` into one
 * index: by default with the same names beside the shards' folders. One array is in memory at a time. An id that occurs
 * in two shards is an error. Returns the number of arrays.
 */
export function mergeNpz(shardDirs: readonly string[], name: string, folder?: string): number {
  const shards = openShards(shardDirs);
  const place = folder ?? dirname(shardDirs[0] ?? ".");
  let arrays = 0;
  writeMergedFile({ target: join(place, `${name}.npz`), within: place }, (fd, path) => {
    const writer = new ZipWriter((bytes) => writeFully(fd, bytes, path));
    for (const { dir } of filesOf(shards, `${name}.npz`)) arrays += copyArrays(join(dir, `${name}.npz`), writer);
    writer.finish();
  });
  concatenate(shards, `${name}.index.jsonl`, join(place, `${name}.index.jsonl`), { within: place });
  return arrays;
}

/** Each entry is unpacked, which verifies its checksum, and packed with the same compression. */
function copyArrays(path: string, writer: ZipWriter): number {
  return withFileSource(path, (source) => {
    const archive = openZip(source, { maxOutputBytes: Number.POSITIVE_INFINITY });
    for (const entry of archive.entries.values()) {
      writer.add(entry.name, readZipEntry(archive, entry), { compress: entry.compressed, align: 64 });
    }
    return archive.entries.size;
  });
}
