import type { ShardFile } from "../store/done.ts";

/** Describes lists without their counts of lines: they are not merged as they are, since paths count from where they stand. */
export function withoutLines(files: readonly ShardFile[]): ShardFile[] {
  return files.map(({ name, bytes, crc32 }) => ({ name, bytes, crc32 }));
}
