import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readFileSync, statSync } from "node:fs";
import { sep } from "node:path";
import { errnoOf } from "../../errors/errors.ts";
import { isMissing, readIfPresent } from "../files/durable-files.ts";
import { isSlowFolder } from "../files/is-slow-folder.ts";
import {
  linkInRun,
  makeNewFolderInRun,
  moveInRun,
  openNewInRun,
  removeFileInRun,
  removeFromRun,
} from "../files/run-files.ts";
import type { RunPaths } from "../files/run-paths.ts";
import type { FileSnapshot, FileStep } from "./file-step.ts";
import { parseLease } from "./lease.ts";

export interface StepContext {
  readonly paths: Pick<RunPaths, "root" | "leases">;
  readonly isCommitted: (shard: number) => boolean | Promise<boolean>;
}

/** Carries out one step of the protocol on the file system. */
export function takeFileStep(step: FileStep, context: StepContext): unknown {
  const { root } = context.paths;
  switch (step.do) {
    case "mkdir":
      return makeNewFolder(root, step.path);
    case "rename":
      return moveFolder(root, step.from, step.to);
    case "exists":
      return existsSync(step.path);
    case "link":
      return linkInRun(root, step.from, step.to);
    case "same":
      return isSame(step.path, step.other);
    case "look":
      return readSnapshot(step.path, () => fileSystemNow(context.paths));
    case "remove":
      return removeFromRun(root, step.path);
    case "committed":
      return context.isCommitted(step.shard);
  }
}

function isSame(path: string, other: string): boolean {
  const [one, two] = [statSync(path, { throwIfNoEntry: false }), statSync(other, { throwIfNoEntry: false })];
  if (one === undefined || two === undefined) return false;
  if (one.ino === two.ino) return true;
  const worker = workerNamedIn(path);
  return worker !== undefined && worker === workerNamedIn(other);
}

function workerNamedIn(path: string): string | undefined {
  return parseLease(readIfPresent(path) ?? "")?.worker;
}

// Workers often try shards that others hold. An exception costs ten times as much as this check.
function makeNewFolder(root: string, path: string): "made" | "exists" {
  if (!isSlowFolder(root) && existsSync(path)) return "exists";
  try {
    makeNewFolderInRun(root, path);
    return "made";
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return "exists";
    throw error;
  }
}

function moveFolder(root: string, from: string, to: string): "moved" | "missing" | "exists" {
  try {
    moveInRun(root, from, to);
    return "moved";
  } catch (error) {
    const code = errnoOf(error);
    // A file or a link has the name. It counts as a folder that is not empty.
    if (code === "ENOTDIR" && lstatSync(to, { throwIfNoEntry: false })?.isDirectory() === false) return "exists";
    if (isMissing(error)) return "missing";
    if (code === "ENOTEMPTY" || code === "EEXIST" || code === "EISDIR") return "exists";
    throw error;
  }
}

// Leases and reports are 1 kB.
const maxBytes = 1 << 20;

/** Reads a file's text and age. It opens the file first: then a network file system fetches the attributes from its server, while a plain stat may return cached ones.
 */
export function readSnapshot(path: string, nowMs: () => number): FileSnapshot | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(fd);
    // Only the age of a folder is needed. Reading a pipe or a device might never end.
    const text = stat.isFile() && stat.size <= maxBytes ? readFileSync(fd, "utf8") : "";
    return { text, ageMs: nowMs() - stat.mtimeMs, writtenMs: stat.mtimeMs };
  } finally {
    closeSync(fd);
  }
}

// Not the pid: threads of a process, and processes on other hosts, may have the same pid and call this at the same time.
const prober = Math.random().toString(36).slice(2);
let probes = 0;

/** The time by the clock of a run's file system: clocks of hosts are never compared. */
export function fileSystemNow({ root, leases }: Pick<RunPaths, "root" | "leases">): number {
  const probe = `${leases}${sep}.clock-${prober}-${probes++}`;
  const fd = openNewInRun(root, probe);
  try {
    return fstatSync(fd).mtimeMs;
  } finally {
    closeSync(fd);
    removeFileInRun(root, probe);
  }
}
