import { crc32, crcText } from "../../bytes/crc32.ts";
import type { Done, ShardFile } from "./done.ts";

/** The part of a committed shard's `done` that is kept in memory. */
export interface KnownShard extends Pick<Done, "shard" | "attempt" | "counts"> {
  /** Changes whenever one of its files changes. */
  readonly filesKey: string;
  /** Undefined if there are many: then `done` is read again when they are needed. */
  readonly files?: readonly ShardFile[] | undefined;
}

// A writer may make a file for each item: more than fit into memory.
const maxFilesKept = 8;

export function knownShard({ shard, attempt, counts, files }: Done): KnownShard {
  const filesKey = crcText(crc32(Buffer.from(files.map((file) => file.crc32).join(" "))));
  return { shard, attempt, counts, filesKey, files: files.length > maxFilesKept ? undefined : files };
}
