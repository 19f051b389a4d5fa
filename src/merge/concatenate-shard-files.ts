import { closeSync, openSync, readSync } from "node:fs";
import { basename, join } from "node:path";
import { combineCrc32, crc32, crcText } from "../shared/crc32.ts";
import { damagedShard, filesOfDone, readDone, type ShardFile } from "../store/done.ts";
import { writeFully } from "../store/durable-files.ts";
import { type KnownShard, knownShard } from "../store/known-shard.ts";
import { shardIdOf } from "../store/run-paths.ts";
import { makeAtOnce } from "./make-at-once.ts";

/** A committed shard: its folder, and what its `done` says of its files. */
export interface CommittedShard {
  readonly dir: string;
  readonly known: KnownShard;
  /** Read anew with each call where they are many: only those of one shard are in memory at a time. */
  files(): readonly ShardFile[];
}

/** The committed shards in the given folders; a damaged one is an error that names the file. */
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
 * Puts one file of every shard behind the other, in item order, into `target`. Each shard's bytes are compared with the
 * digest they were committed with, and `target` keeps its old content until the new one is complete.
 */
export function concatenateShardFiles(shardDirs: readonly string[], name: string, target: string): ShardFile {
  return concatenate(openShards(shardDirs), name, target);
}

/** The same for shards that are open already; `before` stands above them. */
export function concatenate(
  shards: readonly CommittedShard[],
  name: string,
  target: string,
  before: Uint8Array = nothing,
): ShardFile {
  const total = new Total(name);
  makeAtOnce(target, (fd) => {
    writeFully(fd, before, target);
    total.add({ bytes: before.length }, crc32(before));
    for (const { dir, file } of filesOf(shards, name)) append(fd, join(dir, name), { file, total, target });
  });
  return total.describe();
}

const nothing = new Uint8Array(0);

/** The shards that have a file, with what their `done` says of it. */
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

  /** One shard's file, whose digest is known: no byte is summed up twice. */
  add({ bytes, lines = 0 }: Pick<ShardFile, "bytes" | "lines">, digest: number): void {
    this.digest = combineCrc32(this.digest, digest, bytes);
    this.bytes += bytes;
    this.lines += lines;
  }

  describe(): ShardFile {
    return { name: this.name, bytes: this.bytes, crc32: crcText(this.digest), lines: this.lines };
  }
}

const chunk = Buffer.allocUnsafeSlow(1 << 20);

function append(
  fd: number,
  source: string,
  { file, total, target }: { file: ShardFile; total: Total; target: string },
): void {
  const input = openSync(source, "r");
  try {
    let digest = 0;
    for (;;) {
      const read = readSync(input, chunk, 0, chunk.length, null);
      if (read === 0) break;
      const part = chunk.subarray(0, read);
      digest = crc32(part, digest);
      writeFully(fd, part, target);
    }
    if (crcText(digest) !== file.crc32) throw damagedShard(`the bytes of ${source} are not those that were committed`);
    total.add(file, digest);
  } finally {
    closeSync(input);
  }
}
