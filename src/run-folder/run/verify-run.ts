import { basename } from "node:path";
import { messageOf } from "../../errors/errors.ts";
import { type RunPaths, runPaths, shardIdOf } from "../files/run-paths.ts";
import { statSync } from "../files/store-calls.ts";
import { describeFile, inspectShard, type ShardFile } from "../shard/done.ts";
import { readMerged } from "./merged.ts";
import { namesIn } from "./scan-shards.ts";

/** A file that has changed: of a committed shard, or of the last merge. */
type DamagedFile =
  | { readonly shard: number; readonly reason: string }
  | { readonly merged: string; readonly reason: string };

export interface Verification {
  readonly shards: number;
  /** Files of committed shards. */
  readonly files: number;
  /** Files of the last merge. */
  readonly merged: number;
  /** The size of all these files. */
  readonly bytes: number;
  readonly damaged: readonly DamagedFile[];
}

/** Reads every committed and merged file of a run, and compares its digest. */
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
    const inspection = inspectShard(dir);
    if (inspection.state === "damaged") damaged.push({ shard, reason: inspection.reason });
    if (inspection.state !== "committed") continue;
    shards++;
    for (const file of inspection.done.files) {
      files++;
      bytes += file.bytes;
      const reason = compare(dir, file);
      if (reason !== undefined) damaged.push({ shard, reason });
    }
  }
  const noted = readMerged(paths);
  if (noted === undefined && statSync(paths.merged, { throwIfNoEntry: false }) !== undefined)
    damaged.push({ merged: basename(paths.merged), reason: `${paths.merged} was not written by a merge` });
  const merged = noted?.files ?? [];
  for (const file of merged) {
    bytes += file.bytes;
    const reason = compareMerged(paths, file);
    if (reason !== undefined) damaged.push({ merged: file.name, reason });
  }
  return { shards, files, merged: merged.length, bytes, damaged };
}

function compare(dir: string, { name, crc32 }: ShardFile, when = "it was committed"): string | undefined {
  let now: ShardFile;
  try {
    now = describeFile(dir, name);
  } catch (error) {
    return `${dir}/${name} cannot be read: ${messageOf(error).split("\n", 1)[0]}`;
  }
  const digests = `its CRC-32 was ${crc32} and is ${now.crc32}`;
  return now.crc32 === crc32 ? undefined : `${dir}/${name} has changed since ${when}: ${digests}`;
}

/** Compares the size too; for files of shards `inspectShard` has done that. */
function compareMerged(paths: RunPaths, file: ShardFile): string | undefined {
  const path = paths.output(file.name);
  const bytes = statSync(path, { throwIfNoEntry: false })?.size;
  if (bytes === file.bytes) return compare(paths.root, file, "it was merged");
  return `${path} ${bytes === undefined ? "is not there" : `has ${bytes} bytes`}; it was merged with ${file.bytes}`;
}
