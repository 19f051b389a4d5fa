import { crc32, crcText } from "../../bytes/crc32.ts";
import type { Done, ShardFile } from "./done.ts";

/** The part of a committed shard's `done` that is kept in memory. */
export interface KnownShard extends Pick<Done, "shard" | "attempt" | "counts"> {
  /** Changes whenever one of its files changes. */
  readonly filesKey: string;
  /** Undefined where there are many: `done` is read again where they are needed. */
  readonly files?: readonly ShardFile[] | undefined;
}

// A writer of one file for each item makes as many files as items: more than fit into memory.
const maxFilesKept = 8;

export function knownShard({ shard, attempt, counts, files }: Done): KnownShard {
  const filesKey = crcText(crc32(Buffer.from(files.map((file) => file.crc32).join(" "))));
  return { shard, attempt, counts, filesKey, files: files.length > maxFilesKept ? undefined : files };
}
