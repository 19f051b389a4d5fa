import { closeSync, existsSync, fstatSync, openSync, renameSync } from "node:fs";
import { join } from "node:path";
import { crcText } from "../shared/crc32.ts";
import { pump } from "../store/copy-prefix.ts";
import { damagedShard, type ShardFile } from "../store/done.ts";

/** Bytes of a new file that belong at an offset of the old one. */
export interface Insertion {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Makes, in `newDir`, the file of `oldDir` with pieces of the file of the same name in `newDir` put in, each at its
 * place. `insertions` are in the order of their offsets.
 */
export function foldLines(
  file: ShardFile,
  {
    oldDir,
    newDir,
    insertions,
    addedLines,
  }: { oldDir: string; newDir: string; insertions: readonly Insertion[]; addedLines: number },
): ShardFile {
  const target = join(newDir, file.name);
  const folded = `${target}.folded`;
  const old = openSync(join(oldDir, file.name), "r");
  const added = existsSync(target) ? openSync(target, "r") : undefined;
  const output = openSync(folded, "w");
  try {
    let at = 0;
    let digest = 0;
    const copy = (source: number, from: number, to: number) => {
      const next = pump(source, output, { at: from, bytes: to - from, path: folded, digest });
      if (next === undefined) throw damagedShard(`${join(oldDir, file.name)} is shorter than its done says`);
      digest = next;
    };
    for (const insertion of insertions) {
      copy(old, at, insertion.at);
      at = insertion.at;
      if (added !== undefined) copy(added, insertion.from, insertion.to);
    }
    copy(old, at, file.bytes);
    const bytes = fstatSync(output).size;
    return { name: file.name, bytes, crc32: crcText(digest), lines: (file.lines ?? 0) + addedLines };
  } finally {
    for (const fd of [old, added, output]) if (fd !== undefined) closeSync(fd);
    renameSync(folded, target);
  }
}
