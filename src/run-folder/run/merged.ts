import { crc32, crcText } from "../../bytes/crc32.ts";
import { readIfPresent } from "../files/durable-files.ts";
import { replaceInRun } from "../files/run-files.ts";
import { isOutputName, type RunPaths } from "../files/run-paths.ts";
import { statSync } from "../files/store-calls.ts";
import { isShardFile, type ShardFile } from "../shard/done.ts";
import type { KnownShard } from "../shard/known-shard.ts";

/** The record of the last merge: the files it wrote, and from which shards. */
export interface Merged {
  readonly version: 1;
  /** Changes whenever a shard is committed again. */
  readonly key: string;
  readonly files: readonly ShardFile[];
}

/** A key for exactly these committed shards. */
export function mergeKey(shards: readonly KnownShard[]): string {
  const parts = shards.map(({ shard, attempt, filesKey }) => [shard, attempt, filesKey]);
  return crcText(crc32(Buffer.from(JSON.stringify(parts))));
}

/** Reads the record of the last merge; undefined if there is none, or if it is invalid. */
export function readMerged(paths: RunPaths): Merged | undefined {
  try {
    const merged = JSON.parse(readIfPresent(paths.merged) ?? "null") as Partial<Merged> | null;
    const isWhole =
      merged?.version === 1 &&
      typeof merged.key === "string" &&
      Array.isArray(merged.files) &&
      merged.files.every((file) => isShardFile(file) && isOutputName(file.name));
    return isWhole ? (merged as Merged) : undefined;
  } catch {
    return undefined;
  }
}

export function writeMerged(paths: RunPaths, merged: Merged): void {
  replaceInRun(paths.root, paths.merged, `${JSON.stringify(merged)}\n`);
}

/** Whether the merged files were made from these shards and still have their sizes. */
export function isMergeCurrent(paths: RunPaths, merged: Merged, key: string): boolean {
  if (merged.key !== key) return false;
  return merged.files.every(
    ({ name, bytes }) => statSync(paths.output(name), { throwIfNoEntry: false })?.size === bytes,
  );
}
