import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../shared/errors.ts";
import { isMissing, readIfPresent } from "./durable-files.ts";
import type { FileStep, Sight } from "./file-step.ts";
import { parseLease } from "./lease.ts";

export interface StepContext {
  /** A folder on the run's file system in which a probe file may be made to read its clock. */
  readonly clockFolder: string;
  readonly isCommitted: (shard: number) => boolean | Promise<boolean>;
}

/** Does one step of the protocol on the real file system. */
export function takeFileStep(step: FileStep, context: StepContext): unknown {
  switch (step.do) {
    case "mkdir":
      return makeOne(step.path);
    case "rename":
      return moveFolder(step.from, step.to);
    case "exists":
      return existsSync(step.path);
    case "link":
      return linkFile(step.from, step.to);
    case "same":
      return isSame(step.path, step.other);
    case "look":
      return lookAt(step.path, () => fileSystemNow(context.clockFolder));
    case "remove":
      return removeAny(step.path);
    case "committed":
      return context.isCommitted(step.shard);
  }
}

function isSame(path: string, other: string): boolean {
  const [one, two] = [statSync(path, { throwIfNoEntry: false }), statSync(other, { throwIfNoEntry: false })];
  if (one === undefined || two === undefined) return false;
  if (one.ino === two.ino) return true;
  const worker = workerIn(path);
  return worker !== undefined && worker === workerIn(other);
}

function workerIn(path: string): string | undefined {
  return parseLease(readIfPresent(path) ?? "")?.worker;
}

function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (errnoOf(error) !== "EEXIST") {
      // A file system without hard links gets a copy, which the heartbeat renews just the same.
      copyFileSync(from, to);
      return;
    }
    unlinkSync(to);
    linkSync(from, to);
  }
}

// Nearly always it is one file, a lease; asking what it is first would double the cost of a small commit.
function removeAny(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!isMissing(error)) rmSync(path, { recursive: true, force: true });
  }
}

// Workers that follow each other meet what others hold; an exception costs ten times as much as the question.
function makeOne(path: string): "made" | "exists" {
  if (existsSync(path)) return "exists";
  try {
    mkdirSync(path);
    return "made";
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return "exists";
    throw error;
  }
}

function moveFolder(from: string, to: string): "moved" | "missing" | "exists" {
  try {
    renameSync(from, to);
    return "moved";
  } catch (error) {
    if (isMissing(error)) return "missing";
    const code = errnoOf(error);
    if (code === "ENOTEMPTY" || code === "EEXIST" || code === "EISDIR") return "exists";
    throw error;
  }
}

/**
 * A file's text and age. Opening a file makes a network file system ask its server for the attributes; a plain stat
 * may answer from a cache.
 */
export function lookAt(path: string, nowMs: () => number): Sight | undefined {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(fd);
    const text = stat.isDirectory() ? "" : readFileSync(fd, "utf8");
    return { text, ageMs: nowMs() - stat.mtimeMs, writtenMs: stat.mtimeMs };
  } finally {
    closeSync(fd);
  }
}

let probes = 0;

/** The time by the clock of the file system that holds `folder`: hosts' own clocks are never compared. */
export function fileSystemNow(folder: string): number {
  const probe = join(folder, `.clock-${process.pid}-${probes++}`);
  const fd = openSync(probe, "w");
  try {
    return fstatSync(fd).mtimeMs;
  } finally {
    closeSync(fd);
    rmSync(probe, { force: true });
  }
}
