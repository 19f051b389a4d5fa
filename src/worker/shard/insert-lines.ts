import { dirname, join } from "node:path";
import { combineCrc32, crcText } from "../../bytes/crc32.ts";
import { makeFolders, moveOver } from "../../run-folder/files/durable-files.ts";
import { closeSync, closeWritten, existsSync, openSync, rmSync } from "../../run-folder/files/store-calls.ts";
import { pump } from "../../run-folder/shard/copy-prefix.ts";
import { damagedShard, type ShardFile } from "../../run-folder/shard/done.ts";

/** A range of bytes of the new file, to be inserted at an offset of the old one. */
export interface Insertion {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export interface InsertLinesOptions {
  readonly oldDir: string;
  readonly newDir: string;
  /** In the order of their offsets. */
  readonly insertions: readonly Insertion[];
  readonly addedLines: number;
}

/**
 * Merges two files of the same name: inserts pieces of the one in `newDir` into the one of `oldDir`, and writes the
 * result to `newDir`. The old bytes must be those that were committed.
 */
export function insertLines(
  file: ShardFile,
  { oldDir, newDir, insertions, addedLines }: InsertLinesOptions,
): ShardFile {
  const target = join(newDir, file.name);
  const folded = `${target}.folded`;
  makeFolders(dirname(target));
  const fds = new Map<string, number>();
  const open = (path: string, flags: string) => {
    fds.set(path, openSync(path, flags));
    return fds.get(path)!;
  };
  try {
    const old = { path: join(oldDir, file.name), fd: open(join(oldDir, file.name), "r") };
    const added = existsSync(target) ? { path: target, fd: open(target, "r") } : undefined;
    const output = open(folded, "w");
    const all = { bytes: 0, digest: 0 };
    let oldDigest = 0;
    const copy = (source: { path: string; fd: number }, from: number, to: number) => {
      const digest = pump(source.fd, output, { at: from, bytes: to - from, path: folded });
      if (digest === undefined) throw damagedShard(`${source.path} is shorter than its done says`);
      all.digest = combineCrc32(all.digest, digest, to - from);
      all.bytes += to - from;
      if (source === old) oldDigest = combineCrc32(oldDigest, digest, to - from);
    };
    let at = 0;
    for (const insertion of insertions) {
      copy(old, at, insertion.at);
      at = insertion.at;
      if (added !== undefined) copy(added, insertion.from, insertion.to);
    }
    copy(old, at, file.bytes);
    if (crcText(oldDigest) !== file.crc32)
      throw damagedShard(`the bytes of ${old.path} are not those that were committed`);
    moveOver(folded, target);
    return { name: file.name, bytes: all.bytes, crc32: crcText(all.digest), lines: (file.lines ?? 0) + addedLines };
  } finally {
    for (const [path, fd] of fds) (path === folded ? closeWritten : closeSync)(fd);
    rmSync(folded, { force: true });
  }
}
