import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { errnoOf } from "../shared/errors.ts";
import { isMissing } from "./durable-files.ts";
import type { FileStep, Sight } from "./file-step.ts";

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
    case "write":
      return writeFileSync(step.path, step.text);
    case "look":
      return lookAt(step.path, () => fileSystemNow(context.clockFolder));
    case "remove":
      return rmSync(step.path, { recursive: true, force: true });
    case "committed":
      return context.isCommitted(step.shard);
  }
}

function makeOne(path: string): "made" | "exists" {
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
    return { text, ageMs: nowMs() - stat.mtimeMs };
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
