import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { crc32, crcText } from "../bytes/crc32.ts";
import { MillraceError } from "../errors/errors.ts";
import { writeFully } from "../run-folder/files/durable-files.ts";
import type { ShardFile } from "../run-folder/shard/done.ts";
import { type CommittedShard, filesOf, openShards } from "./concatenate-shard-files.ts";
import { readCommitted } from "./read-committed.ts";
import { writeMergedFile } from "./write-merged-file.ts";

/** Options of {@link mergeScp}. */
export interface MergeScpOptions {
  /** Path of the merged list. Default: the same name beside the shards' folders. */
  readonly target?: string | undefined;
  /**
   * Writes absolute paths, for readers that resolve paths against their working folder. The run can then not be moved.
   * Default: false.
   */
  readonly absolute?: boolean | undefined;
  /**
   * The folder to which paths are relative. Default: that of the merged list, so the output folder can be moved as a
   * whole.
   */
  readonly relativeTo?: string | undefined;
}

/**
 * Concatenates the lists `name.scp` of all shards (`id path` in each line) in item order. A suffix of a path (`:123`,
 * `[0:5]`) is kept.
 */
export function mergeScp(shardDirs: readonly string[], name: string, options: MergeScpOptions = {}): ShardFile {
  return mergeLists(openShards(shardDirs), `${name}.scp`, options);
}

/** The same for shards that are already open. */
export function mergeLists(
  shards: readonly CommittedShard[],
  name: string,
  { target, absolute = false, relativeTo, within }: MergeScpOptions & { readonly within?: string },
): ShardFile {
  const path = target ?? pathBesideShards(shards, name);
  const root = target === undefined ? dirname(shards[0]!.dir) : within;
  const to = relativeTo ?? dirname(path);
  let total = { name, bytes: 0, crc32: 0 };
  writeMergedFile({ target: path, within: root }, (fd) => {
    for (const { dir, file } of filesOf(shards, name)) {
      const source = join(dir, name);
      const bytes = Buffer.from(movePaths(readCommitted(source, file), { from: dirname(source), to, absolute }));
      writeFully(fd, bytes, path);
      total = { name, bytes: total.bytes + bytes.length, crc32: crc32(bytes, total.crc32) };
    }
  });
  return { ...total, crc32: crcText(total.crc32) };
}

function pathBesideShards(shards: readonly CommittedShard[], name: string): string {
  const [first] = shards;
  if (first !== undefined) return join(dirname(first.dir), name);
  throw new MillraceError("BAD_OPTION", `There are no shards to merge ${name} from, and no target is given.`, {
    hint: "Name the file to write, or merge only if there are shards.",
  });
}

interface Move {
  readonly from: string;
  readonly to: string;
  readonly absolute: boolean;
}

function movePaths(text: string, { from, to, absolute }: Move): string {
  const prefix = absolute ? resolve(from) : relative(to, from).replaceAll("\\", "/");
  const place = prefix === "" ? "" : `${prefix}/`;
  let moved = "";
  for (let start = 0; start < text.length; ) {
    const lineFeed = text.indexOf("\n", start);
    const end = lineFeed < 0 ? text.length : lineFeed + 1;
    const pathStart = findPath(text, start, end);
    const path = text.slice(pathStart, end);
    const stays = pathStart === end || isAbsolute(path) || path.trimEnd().endsWith("|");
    moved += stays ? text.slice(start, end) : text.slice(start, pathStart) + place + path;
    start = end;
  }
  return moved;
}

/** Where the path of a line begins: after the id and the blanks, or the end of the line if there is no path. */
function findPath(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && !isBlank(text.charCodeAt(at))) at++;
  if (at === start) return end;
  while (at < end && isBlank(text.charCodeAt(at))) at++;
  return at;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}
