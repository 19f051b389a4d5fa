import { sep } from "node:path";
import { crcText } from "../../bytes/crc32.ts";
import { errnoOf, MillraceError, messageOf } from "../../errors/errors.ts";
import { digestFile } from "../files/digest-bytes.ts";
import { readIfPresent } from "../files/durable-files.ts";
import { rewriteInRun } from "../files/run-files.ts";
import { isAttemptNumber, parseAttemptName, shardIdOf } from "../files/run-paths.ts";
import { readdirSync, statSync } from "../files/store-calls.ts";
import { isMissing, isStoreTrouble } from "../files/store-trouble.ts";
import { doneName, fileOf, isMachinery, isShardFileName } from "./shard-file-names.ts";

/** One file of a committed shard, as it was when it was committed. */
export interface ShardFile {
  /** Relative to the shard folder, with forward slashes. */
  readonly name: string;
  readonly bytes: number;
  readonly crc32: string;
  /** The number of lines, if a line writer wrote it. Such files are merged by concatenation. */
  readonly lines?: number;
}

export interface ShardCounts {
  readonly items: number;
  readonly written: number;
  readonly dropped: number;
  readonly failed: number;
}

/** The content of `done`. A shard is complete when its folder has a `done` that matches its files. */
export interface Done {
  readonly version: 1;
  readonly shard: number;
  readonly attempt: number;
  readonly worker: string;
  readonly counts: ShardCounts;
  readonly files: readonly ShardFile[];
}

/** The result of `inspectShard`. The cause of "damaged" may be a power cut or a slow shared file system. */
export type ShardInspection =
  | { readonly state: "absent" }
  | { readonly state: "committed"; readonly done: Done }
  | { readonly state: "damaged"; readonly reason: string };

export function writeDone(shardDir: string, done: Done): void {
  rewriteInRun(shardDir, fileOf(shardDir, doneName), `${JSON.stringify(done)}\n`);
}

/** How the files of a shard are looked at. */
export interface ShardLook {
  /** The text of `done`; undefined if there is none. */
  readDone(path: string): string | undefined;
  /** The size of a file, or why it has none. */
  sizeOf(path: string): number | string;
}

const lookNow: ShardLook = { readDone: readIfPresent, sizeOf };

/**
 * Compares the names and sizes of all files of a shard with its `done`. It does not read them, so it compares no
 * digests.
 */
export function inspectShard(shardDir: string, look: ShardLook = lookNow): ShardInspection {
  let text: string | undefined;
  try {
    text = look.readDone(fileOf(shardDir, doneName));
  } catch (error) {
    // A file that cannot be read at the moment is not damaged: the shard would be computed again.
    if (isStoreTrouble(error)) throw error;
    return { state: "damaged", reason: `${fileOf(shardDir, doneName)}: ${messageOf(error)}` };
  }
  if (text === undefined) return { state: "absent" };
  const done = parseDone(text);
  if (done === undefined) return { state: "damaged", reason: `${fileOf(shardDir, doneName)} is not a complete marker` };
  const shard = shardOfFolder(shardDir);
  if (shard !== undefined && shard !== done.shard)
    return { state: "damaged", reason: `${fileOf(shardDir, doneName)} is that of shard ${done.shard}` };
  for (const file of done.files) {
    const found = look.sizeOf(fileOf(shardDir, file.name));
    if (found === file.bytes) continue;
    const what = typeof found === "number" ? `has ${found} bytes` : found;
    return { state: "damaged", reason: `${fileOf(shardDir, file.name)} ${what}; it was committed with ${file.bytes}` };
  }
  return { state: "committed", done };
}

/** The number of the shard that a folder is, or is an attempt at. */
function shardOfFolder(folder: string): number | undefined {
  const name = folder.slice(folder.lastIndexOf(sep) + 1);
  const target = shardIdOf(name) ?? parseAttemptName(name)?.target;
  return target === "merge" ? undefined : target;
}

/** Reads the `done` of a committed shard. Throws an error that names the file if the shard is damaged. */
export function readDone(shardDir: string): Done {
  const inspection = inspectShard(shardDir);
  if (inspection.state === "committed") return inspection.done;
  throw damagedShard(inspection.state === "absent" ? `${fileOf(shardDir, doneName)} is not there` : inspection.reason);
}

/** The files of a shard that was found intact before: their sizes are not compared again. */
export function filesOfDone(shardDir: string): readonly ShardFile[] {
  const path = fileOf(shardDir, doneName);
  const done = parseDone(readIfPresent(path) ?? "");
  if (done === undefined) throw damagedShard(`${path} is not a complete marker`);
  return done.files;
}

export function damagedShard(reason: string): MillraceError {
  return new MillraceError("SHARD_DAMAGED", `A committed shard is damaged: ${reason}.`, {
    hint: "Run again: sizes are checked and the shard alone is computed again. If the sizes agree, delete its `done` first.",
  });
}

/** The content of a `done`, or undefined if it is incomplete. */
export function parseDone(text: string): Done | undefined {
  try {
    const done = JSON.parse(text) as Partial<Done>;
    const isWhole =
      done.version === 1 &&
      isCount(done.shard) &&
      isAttemptNumber(done.attempt) &&
      typeof done.worker === "string" &&
      Array.isArray(done.files) &&
      done.files.every(isShardFile) &&
      isShardCounts(done.counts);
    return isWhole ? (done as Done) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value describes a file of a shard, with a name that a run can have written. */
export function isShardFile(value: unknown): value is ShardFile {
  const file = value as Partial<ShardFile> | null;
  return (
    isShardFileName(file?.name) &&
    isCount(file.bytes) &&
    typeof file.crc32 === "string" &&
    (file.lines === undefined || isCount(file.lines))
  );
}

/** Whether a value holds the counts of a shard. */
export function isShardCounts(value: unknown): value is ShardCounts {
  const counts = value as Partial<ShardCounts> | null | undefined;
  return isCount(counts?.items) && isCount(counts.written) && isCount(counts.dropped) && isCount(counts.failed);
}

/** Whether a value is a count. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The size of a file, or why it has none. */
function sizeOf(path: string): number | string {
  try {
    const stat = statSync(path);
    return stat.isFile() ? stat.size : "is not a file";
  } catch (error) {
    if (isMissing(error)) return "is not there";
    if (["ENAMETOOLONG", "ELOOP"].includes(errnoOf(error) ?? "")) return `cannot be there (${errnoOf(error)})`;
    throw error;
  }
}

/** All output files below a folder. `known`: files that their writer has described; they are not read. */
export function listFiles(shardDir: string, known: ReadonlyMap<string, ShardFile>, below = ""): ShardFile[] {
  const files: ShardFile[] = [];
  for (const entry of readdirSync(fileOf(shardDir, below), { withFileTypes: true })) {
    const name = below === "" ? entry.name : `${below}/${entry.name}`;
    // Not `push(...files)`: there may be more files than a call can have arguments.
    if (entry.isDirectory()) for (const file of listFiles(shardDir, known, name)) files.push(file);
    else if (entry.isFile() && !isMachinery(name)) files.push(known.get(name) ?? describeFile(shardDir, name));
  }
  return files.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Size and digest of a file, by reading it. */
export function describeFile(shardDir: string, name: string): ShardFile {
  const { bytes, digest } = digestFile(fileOf(shardDir, name));
  return { name, bytes, crc32: crcText(digest) };
}
