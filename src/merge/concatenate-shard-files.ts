import { basename, join } from "node:path";
import { combineCrc32, crc32, crcText } from "../bytes/crc32.ts";
import { digestFile } from "../run-folder/files/digest-bytes.ts";
import { writeFully } from "../run-folder/files/durable-files.ts";
import { shardIdOf } from "../run-folder/files/run-paths.ts";
import { damagedShard, filesOfDone, readDone, type ShardFile } from "../run-folder/shard/done.ts";
import { type KnownShard, knownShard } from "../run-folder/shard/known-shard.ts";
import { writeMergedFile } from "./write-merged-file.ts";

/** A committed shard: its folder, and its files according to `done`. */
export interface CommittedShard {
  readonly dir: string;
  readonly known: KnownShard;
  /** If there are many files, each call reads them again, so that only those of one shard are in memory. */
  files(): readonly ShardFile[];
}

/** Opens the committed shards in these folders. Throws an error that names the file if one is damaged. */
export function openShards(
  shardDirs: readonly string[],
  known: ReadonlyMap<number, KnownShard> = new Map(),
): CommittedShard[] {
  return shardDirs.map((dir) => {
    const shard = known.get(shardIdOf(basename(dir)) ?? -1) ?? knownShard(readDone(dir));
    return { dir, known: shard, files: () => shard.files ?? filesOfDone(dir) };
  });
}

/**
 * Concatenates one file of every shard, in item order, into `target`. Each shard's bytes are compared with their
 * committed digest, and `target` keeps its old content until the new one is complete.
 */
export function concatenateShardFiles(shardDirs: readonly string[], name: string, target: string): ShardFile {
  return concatenate(openShards(shardDirs), name, target);
}

interface ConcatenateOptions {
  /** The run folder, if the name of the target comes from the run. */
  readonly within?: string | undefined;
  /** A header before the shards' bytes. */
  readonly before?: Uint8Array | undefined;
}

/** The same for shards that are already open. */
export function concatenate(
  shards: readonly CommittedShard[],
  name: string,
  target: string,
  { within, before = nothing }: ConcatenateOptions = {},
): ShardFile {
  const total = new Total(name);
  writeMergedFile({ target, within }, (fd) => {
    writeFully(fd, before, target);
    total.add({ bytes: before.length }, crc32(before));
    for (const { dir, file } of filesOf(shards, name)) append(fd, join(dir, name), { file, total, target });
  });
  return total.describe();
}

const nothing = new Uint8Array(0);

/** The shards that have this file, with its entry in their `done`. */
export function filesOf(shards: readonly CommittedShard[], name: string): { dir: string; file: ShardFile }[] {
  return shards.flatMap((shard) =>
    shard
      .files()
      .filter((entry) => entry.name === name)
      .map((file) => ({ dir: shard.dir, file })),
  );
}

class Total {
  private readonly name: string;
  private bytes = 0;
  private lines = 0;
  private digest = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** Appends one shard's file. Its digest is known, so no byte is hashed twice. */
  add({ bytes, lines = 0 }: Pick<ShardFile, "bytes" | "lines">, digest: number): void {
    this.digest = combineCrc32(this.digest, digest, bytes);
    this.bytes += bytes;
    this.lines += lines;
  }

  describe(): ShardFile {
    return { name: this.name, bytes: this.bytes, crc32: crcText(this.digest), lines: this.lines };
  }
}

function append(
  fd: number,
  source: string,
  { file, total, target }: { file: ShardFile; total: Total; target: string },
): void {
  const { digest } = digestFile(source, (part) => writeFully(fd, part, target));
  if (crcText(digest) !== file.crc32) throw damagedShard(`the bytes of ${source} are not those that were committed`);
  total.add(file, digest);
}
