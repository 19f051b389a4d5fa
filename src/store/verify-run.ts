import { describeFile, inspectShard, type ShardFile } from "./done.ts";
import { runPaths, shardIdOf } from "./run-paths.ts";
import { namesIn } from "./scan-shards.ts";

/** One file of a committed shard that is not what was committed. */
interface DamagedFile {
  readonly shard: number;
  readonly reason: string;
}

export interface Verification {
  readonly shards: number;
  readonly files: number;
  readonly bytes: number;
  readonly damaged: readonly DamagedFile[];
}

/** Reads every committed file of a run and compares it with its digest. */
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
  return { shards, files, bytes, damaged };
}

function compare(dir: string, { name, crc32 }: ShardFile): string | undefined {
  const now = describeFile(dir, name);
  return now.crc32 === crc32 ? undefined : `${dir}/${name} has CRC-32 ${now.crc32}; done says ${crc32}`;
}
