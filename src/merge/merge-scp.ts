import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { crc32, crcText } from "../shared/crc32.ts";
import { MillraceError } from "../shared/errors.ts";
import type { ShardFile } from "../store/done.ts";
import { writeFully } from "../store/durable-files.ts";
import { type CommittedShard, filesOf, openShards } from "./concatenate-shard-files.ts";
import { makeAtOnce } from "./make-at-once.ts";
import { readCommitted } from "./read-committed.ts";

/** Where the merged list goes, and how its paths are written. */
export interface MergeScpOptions {
  /** Where the merged list goes. Default: under the same name beside the shards' folders. */
  readonly target?: string | undefined;
  /** Writes whole paths: for readers that take paths from their own working folder. The run can then not be moved. Default false. */
  readonly absolute?: boolean | undefined;
}

/**
 * Puts the `id path` lists of all shards one behind the other, in item order. Paths count from the folder of the merged
 * list, so the output folder can be moved as a whole. What stands behind a path (`:123`, `[0:5]`) stays.
 */
export function mergeScp(shardDirs: readonly string[], name: string, options: MergeScpOptions = {}): ShardFile {
  return mergeLists(openShards(shardDirs), name, options);
}

/** The same for shards that are open already. */
export function mergeLists(
  shards: readonly CommittedShard[],
  name: string,
  { target, absolute = false }: MergeScpOptions,
): ShardFile {
  const path = target ?? besides(shards, name);
  let total = { name, bytes: 0, crc32: 0 };
  makeAtOnce(path, (fd) => {
    for (const { dir, file } of filesOf(shards, name)) {
      const source = join(dir, name);
      const bytes = Buffer.from(
        movePaths(readCommitted(source, file), { from: dirname(source), to: dirname(path), absolute }),
      );
      writeFully(fd, bytes, path);
      total = { name, bytes: total.bytes + bytes.length, crc32: crc32(bytes, total.crc32) };
    }
  });
  return { ...total, crc32: crcText(total.crc32) };
}

function besides(shards: readonly CommittedShard[], name: string): string {
  const [first] = shards;
  if (first !== undefined) return join(dirname(first.dir), name);
  throw new MillraceError("BAD_OPTION", `There are no shards to merge ${name} from, and no target is given.`, {
    hint: "Name the file to write, or merge only where there are shards.",
  });
}

interface Move {
  readonly from: string;
  readonly to: string;
  readonly absolute: boolean;
}

function movePaths(text: string, { from, to, absolute }: Move): string {
  const ahead = absolute ? resolve(from) : relative(to, from).replaceAll("\\", "/");
  const place = ahead === "" ? "" : `${ahead}/`;
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

/** Where the path of a line begins: behind the id and the blanks; the end of the line where there is none. */
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
