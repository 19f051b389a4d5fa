import { closeSync, openSync, readdirSync, readSync, statSync, writeFileSync } from "node:fs";
import { crc32, crcText } from "../shared/crc32.ts";
import { MillraceError, messageOf } from "../shared/errors.ts";
import { isMissing, readIfPresent } from "./durable-files.ts";
import { doneName, fileOf, isMachinery } from "./shard-file-names.ts";

/** One file of a committed shard, as it was when it was committed. */
export interface ShardFile {
  /** Relative to the shard folder, with forward slashes. */
  readonly name: string;
  readonly bytes: number;
  readonly crc32: string;
  /** Lines in it, where a line writer wrote it; such files are merged by putting them one after the other. */
  readonly lines?: number;
}

export interface ShardCounts {
  readonly items: number;
  readonly written: number;
  readonly dropped: number;
  readonly failed: number;
}

/** What `done` says: a shard is complete when its folder holds one that agrees with its files. */
export interface Done {
  readonly version: 1;
  readonly shard: number;
  readonly attempt: number;
  readonly worker: string;
  readonly counts: ShardCounts;
  readonly files: readonly ShardFile[];
}

/** What is at the place of a shard: "damaged" is also what a power cut or a slow shared file system looks like. */
export type ShardSight =
  | { readonly state: "absent" }
  | { readonly state: "committed"; readonly done: Done }
  | { readonly state: "damaged"; readonly reason: string };

export function writeDone(shardDir: string, done: Done): void {
  writeFileSync(fileOf(shardDir, doneName), `${JSON.stringify(done)}\n`);
}

/** Compares a shard folder with its `done`: the names and sizes of all files. Digests are compared where the bytes are read. */
export function inspectShard(shardDir: string): ShardSight {
  let text: string | undefined;
  try {
    text = readIfPresent(fileOf(shardDir, doneName));
  } catch (error) {
    return { state: "damaged", reason: `${fileOf(shardDir, doneName)}: ${messageOf(error)}` };
  }
  if (text === undefined) return { state: "absent" };
  const done = parseDone(text);
  if (done === undefined) return { state: "damaged", reason: `${fileOf(shardDir, doneName)} is not a complete marker` };
  for (const file of done.files) {
    const bytes = sizeOf(fileOf(shardDir, file.name));
    if (bytes === file.bytes) continue;
    const found = bytes === undefined ? "is not there" : `has ${bytes} bytes`;
    return { state: "damaged", reason: `${fileOf(shardDir, file.name)} ${found}; done says ${file.bytes}` };
  }
  return { state: "committed", done };
}

/** The `done` of a shard that is known to be committed; a damaged one is an error that names the file. */
export function readDone(shardDir: string): Done {
  const sight = inspectShard(shardDir);
  if (sight.state === "committed") return sight.done;
  throw damagedShard(sight.state === "absent" ? `${fileOf(shardDir, doneName)} is not there` : sight.reason);
}

/** The files of a shard that was found sound before: their sizes are not compared once more. */
export function filesOfDone(shardDir: string): readonly ShardFile[] {
  const path = fileOf(shardDir, doneName);
  const done = parseDone(readIfPresent(path) ?? "");
  if (done === undefined) throw damagedShard(`${path} is not a complete marker`);
  return done.files;
}

export function damagedShard(reason: string): MillraceError {
  return new MillraceError("SHARD_DAMAGED", `A committed shard is damaged: ${reason}.`, {
    hint: "Run again: sizes are checked and the shard alone is computed anew. If the sizes agree, delete its `done` first.",
  });
}

function parseDone(text: string): Done | undefined {
  try {
    const done = JSON.parse(text) as Partial<Done>;
    const isWhole = done.version === 1 && Array.isArray(done.files) && done.files.every(isFile) && done.counts != null;
    return isWhole ? (done as Done) : undefined;
  } catch {
    return undefined;
  }
}

function isFile(file: Partial<ShardFile> | null): boolean {
  return typeof file?.name === "string" && typeof file.bytes === "number";
}

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** All files below a folder that belong to the shard's output: `known` ones as their writer described them. */
export function listFiles(shardDir: string, known: ReadonlyMap<string, ShardFile>, below = ""): ShardFile[] {
  const files: ShardFile[] = [];
  for (const entry of readdirSync(fileOf(shardDir, below), { withFileTypes: true })) {
    const name = below === "" ? entry.name : `${below}/${entry.name}`;
    // One by one: there may be more files than a call can have arguments.
    if (entry.isDirectory()) for (const file of listFiles(shardDir, known, name)) files.push(file);
    else if (entry.isFile() && !isMachinery(name)) files.push(known.get(name) ?? describeFile(shardDir, name));
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const chunk = Buffer.allocUnsafeSlow(1 << 18);

/** Size and digest of a file, by reading it. */
export function describeFile(shardDir: string, name: string): ShardFile {
  const fd = openSync(fileOf(shardDir, name), "r");
  try {
    let bytes = 0;
    let digest = 0;
    for (;;) {
      const read = readSync(fd, chunk, 0, chunk.length, null);
      if (read === 0) return { name, bytes, crc32: crcText(digest) };
      digest = crc32(chunk.subarray(0, read), digest);
      bytes += read;
    }
  } finally {
    closeSync(fd);
  }
}
