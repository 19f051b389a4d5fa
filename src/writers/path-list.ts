import type { ShardFile } from "../run-folder/shard/done.ts";

/**
 * Describes lists without line counts: they are not merged by concatenation, because their paths are relative to their
 * folder.
 */
export function withoutLines(files: readonly ShardFile[]): ShardFile[] {
  return files.map(({ name, bytes, crc32 }) => ({ name, bytes, crc32 }));
}
