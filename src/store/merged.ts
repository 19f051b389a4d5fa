import { statSync } from "node:fs";
import { crc32, crcText } from "../shared/crc32.ts";
import type { ShardFile } from "./done.ts";
import { readIfPresent, replaceFileQuickly } from "./durable-files.ts";
import type { KnownShard } from "./known-shard.ts";
import type { RunPaths } from "./run-paths.ts";

/** What the last merge put into the run folder, and from which shards. */
export interface Merged {
  readonly version: 1;
  /** Changes whenever a shard is committed anew. */
  readonly key: string;
  readonly files: readonly ShardFile[];
}

/** A short name for exactly these committed shards. */
export function mergeKey(shards: readonly KnownShard[]): string {
  const parts = shards.map(({ shard, attempt, filesKey }) => [shard, attempt, filesKey]);
  return crcText(crc32(Buffer.from(JSON.stringify(parts))));
}

export function readMerged(paths: RunPaths): Merged | undefined {
  try {
    const merged = JSON.parse(readIfPresent(paths.merged) ?? "null") as Merged | null;
    return merged?.version === 1 ? merged : undefined;
  } catch {
    return undefined;
  }
}

export function writeMerged(paths: RunPaths, merged: Merged): void {
  replaceFileQuickly(paths.merged, `${JSON.stringify(merged)}\n`);
}

/** Whether the merged files are those of these shards and still have their sizes. */
export function isMergeCurrent(paths: RunPaths, merged: Merged, key: string): boolean {
  if (merged.key !== key) return false;
  return merged.files.every(
    ({ name, bytes }) => statSync(paths.output(name), { throwIfNoEntry: false })?.size === bytes,
  );
}
