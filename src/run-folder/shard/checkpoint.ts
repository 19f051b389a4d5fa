import { join } from "node:path";
import { crc32, crcText } from "../../bytes/crc32.ts";
import { readIfPresent, writeFully } from "../files/durable-files.ts";
import { copyInRun, openNewInRun, removeFileInRun } from "../files/run-files.ts";
import { closeSync, readdirSync } from "../files/store-calls.ts";
import { isMissing, storeError } from "../files/store-trouble.ts";
import { copyPrefix } from "./copy-prefix.ts";
import { inspectShard, isCount } from "./done.ts";
import { checkpointPrefix, doneName, fileOf, isInsideName } from "./shard-file-names.ts";

/** The valid prefix of one file. All bytes behind it were written after the checkpoint. */
export interface FilePrefix {
  /** Relative to the shard folder, with forward slashes. */
  readonly name: string;
  readonly bytes: number;
  /** The checksum of the prefix. Without it, damage is not noticed. */
  readonly crc32?: string;
}

/** A saved position of an attempt, from which the next one can continue. */
export interface Checkpoint {
  /** Grows by one with each checkpoint of an attempt. */
  readonly sequence: number;
  /** Items of the shard that are done. */
  readonly position: number;
  readonly counts: { readonly dropped: number; readonly failed: number };
  readonly files: readonly FilePrefix[];
  /** The data that each writer needs to continue, by its key. */
  readonly writers: Readonly<Record<string, unknown>>;
  /** The shard's state, encoded. */
  readonly state: string;
}

const slots = [".checkpoint.0", ".checkpoint.1"] as const;

export interface CheckpointLog {
  /** Saves a checkpoint. Returns its size in bytes. */
  save(checkpoint: Checkpoint): number;
  /** Closes and removes the checkpoints: the shard is complete. */
  discard(): void;
  /** Closes them and leaves them for the next attempt. */
  close(): void;
}

// At this size the log switches to the other file, so that little is read after a kill.
const slotBytes = 1 << 16;

/**
 * Checkpoints are lines of a file, each with a checksum: after a kill in the middle of a line, the line before it
 * counts. A full file is kept while the other one is written from its beginning. A shard that ends before its first
 * checkpoint has no file. The second file is made only after many checkpoints, because making a file costs more than
 * many lines.
 */
export function openCheckpointLog(attemptDir: string): CheckpointLog {
  const made = new Set<string>();
  let open: { readonly fd: number; readonly path: string; bytes: number } | undefined;
  const begin = (slot: string) => {
    const path = fileOf(attemptDir, slot);
    try {
      open = { fd: openNewInRun(attemptDir, path), path, bytes: 0 };
    } catch (error) {
      throw storeError(error, path);
    }
    made.add(path);
    return open;
  };
  const close = () => {
    if (open !== undefined) closeSync(open.fd);
    open = undefined;
  };
  return {
    save(checkpoint) {
      const line = encodeLine(checkpoint);
      let file = open ?? begin(slots[0]);
      if (file.bytes > 0 && file.bytes + line.length > slotBytes) {
        const [first, second] = slots;
        close();
        file = begin(file.path.endsWith(first) ? second : first);
      }
      writeFully(file.fd, line, file.path);
      file.bytes += line.length;
      return line.length;
    },
    discard() {
      close();
      for (const path of made) removeFileInRun(attemptDir, path);
    },
    close,
  };
}

const digestBytes = 9;

/** The checksum in hexadecimal digits, a space, the checkpoint as JSON. */
function encodeLine(checkpoint: Checkpoint): Buffer {
  const json = JSON.stringify(checkpoint);
  return Buffer.from(`${crcText(crc32(json))} ${json}\n`);
}

/** Removes the files that writers need only for checkpoints: the shard is complete. */
export function removeCheckpointFiles(shardDir: string): void {
  for (const name of readdirSync(shardDir)) {
    if (name.startsWith(checkpointPrefix)) removeFileInRun(shardDir, join(shardDir, name));
  }
}

/** The paths of an attempt's checkpoint files, which may not exist. */
export function checkpointFiles(attemptDir: string): string[] {
  return slots.map((slot) => fileOf(attemptDir, slot));
}

/** The valid checkpoints in an attempt's folder, newest first. */
export function readCheckpoints(attemptDir: string): Checkpoint[] {
  const lines = slots.flatMap((slot) => readIfPresent(fileOf(attemptDir, slot))?.split("\n") ?? []);
  return lines
    .map((line) => ({ digest: line.slice(0, digestBytes - 1), json: line.slice(digestBytes) }))
    .filter(({ digest, json }) => json !== "" && digest === crcText(crc32(json)))
    .flatMap(({ json }) => parseCheckpoint(json) ?? [])
    .sort((a, b) => b.sequence - a.sequence);
}

/** Checks the content too: a line that someone has changed may have a matching checksum. */
function parseCheckpoint(json: string): Checkpoint | undefined {
  try {
    const checkpoint = JSON.parse(json) as Partial<Checkpoint> | null;
    const isWhole =
      isCount(checkpoint?.sequence) &&
      isCount(checkpoint.position) &&
      isCount(checkpoint.counts?.dropped) &&
      isCount(checkpoint.counts?.failed) &&
      Array.isArray(checkpoint.files) &&
      checkpoint.files.every(isPrefix) &&
      areWriters(checkpoint.writers, new Set(checkpoint.files.map(({ name }) => name))) &&
      typeof checkpoint.state === "string";
    return isWhole ? (checkpoint as Checkpoint) : undefined;
  } catch {
    return undefined;
  }
}

/** Each writer's entry names its files. */
function areWriters(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value as Record<string, { files?: unknown } | null>).every(
    (writer) => Array.isArray(writer?.files) && writer.files.every((name) => names.has(name as string)),
  );
}

function isPrefix(file: Partial<FilePrefix> | null): boolean {
  return (
    typeof file?.name === "string" &&
    isInsideName(file.name) &&
    isCount(file.bytes) &&
    (file.crc32 === undefined || typeof file.crc32 === "string")
  );
}

/** What was restored from an earlier attempt: a checkpoint, or the complete shard, ready to be committed. */
export type Restored =
  | { readonly kind: "checkpoint"; readonly checkpoint: Checkpoint }
  | { readonly kind: "complete" }
  | { readonly kind: "nothing" };

/**
 * Copies the newest valid work of the fenced attempts (newest first) into the folder of a new attempt. It is not moved,
 * because a paused process of the old attempt may still write to its open files.
 */
export function restoreAttempt(attemptDir: string, fencedDirs: readonly string[]): Restored {
  for (const fenced of fencedDirs) {
    if (copyComplete(fenced, attemptDir)) return { kind: "complete" };
    for (const checkpoint of readCheckpoints(fenced)) {
      if (copyFiles(fenced, attemptDir, checkpoint.files)) return { kind: "checkpoint", checkpoint };
    }
  }
  return { kind: "nothing" };
}

function copyComplete(fenced: string, attemptDir: string): boolean {
  const inspection = inspectShard(fenced);
  if (inspection.state !== "committed" || !copyFiles(fenced, attemptDir, inspection.done.files)) return false;
  copyInRun(attemptDir, join(fenced, doneName), join(attemptDir, doneName));
  return true;
}

function copyFiles(from: string, to: string, files: readonly FilePrefix[]): boolean {
  const sound = files.every((file) => copyOne(from, to, file));
  if (!sound) for (const { name } of files) removeFileInRun(to, join(to, name));
  return sound;
}

function copyOne(from: string, to: string, { name, bytes, crc32: expected }: FilePrefix): boolean {
  try {
    const digest = copyPrefix(join(from, name), join(to, name), bytes, to);
    return digest !== undefined && (expected === undefined || crcText(digest) === expected);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
