import { closeSync, copyFileSync, openSync, readdirSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { crc32, crcText } from "../shared/crc32.ts";
import { copyPrefix } from "./copy-prefix.ts";
import { inspectShard } from "./done.ts";
import { isMissing, readIfPresent, storeError, writeFully } from "./durable-files.ts";
import { checkpointPrefix, fileOf } from "./shard-file-names.ts";

/** How much of one file counts: everything behind it was written after the checkpoint. */
export interface FilePrefix {
  /** Relative to the shard folder, with forward slashes. */
  readonly name: string;
  readonly bytes: number;
  /** Of that prefix; without it a damaged prefix goes unnoticed. */
  readonly crc32?: string;
}

/** Where an attempt stood: enough for the next one to go on. */
export interface Checkpoint {
  /** Grows by one with each checkpoint of an attempt. */
  readonly sequence: number;
  /** Items of the shard that are done. */
  readonly position: number;
  readonly counts: { readonly dropped: number; readonly failed: number };
  readonly files: readonly FilePrefix[];
  /** What each writer needs to go on, by its key. */
  readonly writers: Readonly<Record<string, unknown>>;
  /** The shard's state, encoded. */
  readonly state: string;
}

const slots = [".checkpoint.0", ".checkpoint.1"] as const;

export interface CheckpointLog {
  /** Answers how many bytes it is. */
  save(checkpoint: Checkpoint): number;
  /** Closes and removes the checkpoints: the shard is complete. */
  discard(): void;
  /** Closes them and leaves them for the next attempt. */
  close(): void;
}

// A file is made anew when it has grown to this: what is read after a kill stays small.
const slotBytes = 1 << 16;

/**
 * Checkpoints one behind the other, each a line with its own checksum, so that a kill in the middle of one leaves those before
 * it. A full file is left as it is and the other one begun anew. Nothing is made for a shard that ends before its first
 * checkpoint, and a second file, which costs more than many lines, only for one that has many.
 */
export function openCheckpointLog(attemptDir: string): CheckpointLog {
  const made = new Set<string>();
  let open: { readonly fd: number; readonly path: string; bytes: number } | undefined;
  const begin = (slot: string) => {
    const path = fileOf(attemptDir, slot);
    try {
      open = { fd: openSync(path, "w"), path, bytes: 0 };
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
      for (const path of made) unlinkIfPresent(path);
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

// Once a shard: Node's rmSync looks first what it is that it is to remove.
function unlinkIfPresent(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Removes what writers kept for checkpoints alone: the shard is complete. */
export function removeCheckpointFiles(shardDir: string): void {
  for (const name of readdirSync(shardDir)) {
    if (name.startsWith(checkpointPrefix)) rmSync(join(shardDir, name), { force: true });
  }
}

/** The files in which an attempt's checkpoints are, if it has saved any. */
export function checkpointFiles(attemptDir: string): string[] {
  return slots.map((slot) => fileOf(attemptDir, slot));
}

/** The checkpoints in an attempt's folder that are whole, newest first. */
export function readCheckpoints(attemptDir: string): Checkpoint[] {
  const lines = slots.flatMap((slot) => readIfPresent(fileOf(attemptDir, slot))?.split("\n") ?? []);
  return lines
    .map((line) => ({ digest: line.slice(0, digestBytes - 1), json: line.slice(digestBytes) }))
    .filter(({ digest, json }) => json !== "" && digest === crcText(crc32(json)))
    .map(({ json }) => JSON.parse(json) as Checkpoint)
    .sort((a, b) => b.sequence - a.sequence);
}

/** What an earlier attempt left: a checkpoint to go on from, or the whole shard, ready to be committed. */
export type Restored =
  | { readonly kind: "checkpoint"; readonly checkpoint: Checkpoint }
  | { readonly kind: "complete" }
  | { readonly kind: "nothing" };

/**
 * Brings the newest sound work of the fenced attempts (newest first) into a new attempt's folder. It is copied, never
 * moved: a paused process of the old attempt may still hold its files open and write to them.
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
  const sight = inspectShard(fenced);
  if (sight.state !== "committed" || !copyFiles(fenced, attemptDir, sight.done.files)) return false;
  copyFileSync(join(fenced, "done"), join(attemptDir, "done"));
  return true;
}

function copyFiles(from: string, to: string, files: readonly FilePrefix[]): boolean {
  const sound = files.every((file) => copyOne(from, to, file));
  if (!sound) for (const { name } of files) rmSync(join(to, name), { force: true });
  return sound;
}

function copyOne(from: string, to: string, { name, bytes, crc32: expected }: FilePrefix): boolean {
  try {
    const digest = copyPrefix(join(from, name), join(to, name), bytes);
    return digest !== undefined && (expected === undefined || crcText(digest) === expected);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
