import { statSync } from "node:fs";
import { describeFile, inspectShard, type ShardFile } from "./done.ts";
import { readMerged } from "./merged.ts";
import { type RunPaths, runPaths, shardIdOf } from "./run-paths.ts";
import { namesIn } from "./scan-shards.ts";

/** One file that is not what it was: of a committed shard, or of those that the last merge put into the run folder. */
type DamagedFile =
  | { readonly shard: number; readonly reason: string }
  | { readonly merged: string; readonly reason: string };

export interface Verification {
  readonly shards: number;
  /** Files of committed shards. */
  readonly files: number;
  /** Files that the last merge put into the run folder. */
  readonly merged: number;
  /** Of all of them. */
  readonly bytes: number;
  readonly damaged: readonly DamagedFile[];
}

/** Reads every committed file of a run, and those merged of them, and compares each with its digest. */
export function verifyRun(runDir: string, onShard: (shard: number) => void = () => {}): Verification {
  const paths = runPaths(runDir);
  const damaged: DamagedFile[] = [];
  let [shards, files, bytes] = [0, 0, 0];
  const ids = namesIn(paths.root)
    .map(shardIdOf)
    .filter((id) => id !== undefined);
  for (const shard of ids.sort((a, b) => a - b)) {
    onShard(shard);
    const dir = paths.shard(shard);
    const sight = inspectShard(dir);
    if (sight.state === "damaged") damaged.push({ shard, reason: sight.reason });
    if (sight.state !== "committed") continue;
    shards++;
    for (const file of sight.done.files) {
      files++;
      bytes += file.bytes;
      const reason = compare(dir, file);
      if (reason !== undefined) damaged.push({ shard, reason });
    }
  }
  const merged = readMerged(paths)?.files ?? [];
  for (const file of merged) {
    bytes += file.bytes;
    const reason = compareMerged(paths, file);
    if (reason !== undefined) damaged.push({ merged: file.name, reason });
  }
  return { shards, files, merged: merged.length, bytes, damaged };
}

function compare(dir: string, { name, crc32 }: ShardFile, witness = "done says"): string | undefined {
  const now = describeFile(dir, name);
  return now.crc32 === crc32 ? undefined : `${dir}/${name} has CRC-32 ${now.crc32}; ${witness} ${crc32}`;
}

/** Of a shard the sizes have been compared before its files are read. */
function compareMerged(paths: RunPaths, file: ShardFile): string | undefined {
  const path = paths.output(file.name);
  const bytes = statSync(path, { throwIfNoEntry: false })?.size;
  if (bytes === file.bytes) return compare(paths.root, file, "the merge wrote");
  return `${path} ${bytes === undefined ? "is not there" : `has ${bytes} bytes`}; the merge wrote ${file.bytes}`;
}
