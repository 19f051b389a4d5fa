import { closeSync, copyFileSync, openSync, readdirSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32, crcText } from "../shared/crc32.ts";
import { copyPrefix } from "./copy-prefix.ts";
import { inspectShard } from "./done.ts";
import { isMissing, readIfPresent, storeError } from "./durable-files.ts";
import { checkpointPrefix } from "./shard-file-names.ts";

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
  save(checkpoint: Checkpoint): void;
  /** Closes and removes the checkpoints: the shard is complete. */
  discard(): void;
  /** Closes them and leaves them for the next attempt. */
  close(): void;
}

/**
 * Two small files written in turn: a kill in the middle of one leaves the other. Each line carries its own checksum,
 * and nothing is created for a shard that ends before its first checkpoint.
 */
export function openCheckpointLog(attemptDir: string): CheckpointLog {
  const fds: (number | undefined)[] = [undefined, undefined];
  const close = () => {
    for (const [i, fd] of fds.entries()) {
      if (fd !== undefined) closeSync(fd);
      fds[i] = undefined;
    }
  };
  return {
    save(checkpoint) {
      const slot = checkpoint.sequence % 2;
      const path = join(attemptDir, slots[slot]!);
      try {
        const fd = fds[slot] ?? openSync(path, "w");
        fds[slot] = fd;
        const json = Buffer.from(JSON.stringify(checkpoint));
        writeSync(
          fd,
          Buffer.concat([Buffer.from(`${crcText(crc32(json))} `), json, Buffer.from("\n")]),
          0,
          undefined,
          0,
        );
      } catch (error) {
        throw storeError(error, path);
      }
    },
    discard() {
      const opened = fds.map((fd) => fd !== undefined);
      close();
      for (const [i, wasOpen] of opened.entries()) if (wasOpen) rmSync(join(attemptDir, slots[i]!), { force: true });
    },
    close,
  };
}

/** Removes what writers kept for checkpoints alone: the shard is complete. */
export function removeCheckpointFiles(shardDir: string): void {
  for (const name of readdirSync(shardDir)) {
    if (name.startsWith(checkpointPrefix)) rmSync(join(shardDir, name), { force: true });
  }
}

/** The checkpoints in an attempt's folder that are whole, newest first. */
export function readCheckpoints(attemptDir: string): Checkpoint[] {
  const found: Checkpoint[] = [];
  for (const slot of slots) {
    const line = readIfPresent(join(attemptDir, slot))?.split("\n", 1)[0] ?? "";
    const json = line.slice(9);
    if (json !== "" && line.slice(0, 8) === crcText(crc32(Buffer.from(json))))
      found.push(JSON.parse(json) as Checkpoint);
  }
  return found.sort((a, b) => b.sequence - a.sequence);
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
