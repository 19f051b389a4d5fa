import { crc32, crcText } from "../shared/crc32.ts";
import type { Done, ShardFile } from "./done.ts";

/** What is kept in memory of a committed shard. */
export interface KnownShard extends Pick<Done, "shard" | "attempt" | "counts"> {
  /** Another one whenever one of its files is. */
  readonly filesKey: string;
  /** Undefined where there are many: `done` is read again where they are asked for. */
  readonly files?: readonly ShardFile[] | undefined;
}

// A writer of one file for each item makes as many as there are items: more than memory has room for.
const mostFilesKept = 8;

export function knownShard({ shard, attempt, counts, files }: Done): KnownShard {
  const filesKey = crcText(crc32(Buffer.from(files.map((file) => file.crc32).join(" "))));
  return { shard, attempt, counts, filesKey, files: files.length > mostFilesKept ? undefined : files };
}
