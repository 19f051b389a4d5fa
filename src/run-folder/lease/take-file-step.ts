import { constants, fstatSync, readFileSync } from "node:fs";
import { dirname, sep } from "node:path";
import { errnoOf } from "../../errors/errors.ts";
import { sleep } from "../../runtime/sleep.ts";
import { readIfPresent } from "../files/durable-files.ts";
import { isShared } from "../files/file-system.ts";
import {
  linkInRun,
  makeNewFolderInRun,
  moveInRun,
  openNewInRun,
  removeFileInRun,
  removeFromRun,
} from "../files/run-files.ts";
import type { RunPaths } from "../files/run-paths.ts";
import { closeSync, existsSync, lstatSync, openSync, repeated, statSync } from "../files/store-calls.ts";
import { isMissing } from "../files/store-trouble.ts";
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
    case "wait":
      return isShared(root) && sleep(step.ms).then(() => true);
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

// Workers often try shards that others hold; an exception costs ten times as much as this check.
function makeNewFolder(root: string, path: string): "made" | "exists" | "unsure" {
  if (existsSync(path)) return "exists";
  try {
    makeNewFolderInRun(root, path);
    return "made";
  } catch (error) {
    // It was not there a moment ago. One kernel knows who made it; a server may repeat itself.
    if (errnoOf(error) === "EEXIST") return isShared(root) ? "unsure" : "exists";
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

/**
 * Reads a file's text and age. It opens the file first: then a network file system fetches the attributes from its
 * server, while a plain stat may return cached ones.
 */
export function readSnapshot(path: string, nowMs: () => number): FileSnapshot | undefined {
  return repeated(path, () => readOpened(path, nowMs));
}

function readOpened(path: string, nowMs: () => number): FileSnapshot | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  let read: { readonly writtenMs: number; readonly text: string };
  try {
    const stat = fstatSync(fd);
    // Only the age of a folder is needed. Reading a pipe or a device might never end.
    const text = stat.isFile() && stat.size <= maxBytes ? readFileSync(fd, "utf8") : "";
    read = { writtenMs: stat.mtimeMs, text };
  } catch (error) {
    // Some file systems do not keep what was removed while it is open.
    if (isMissing(error)) return undefined;
    throw error;
  } finally {
    closeSync(fd);
  }
  const { writtenMs, text } = read;
  return { text, ageMs: nowMs() - writtenMs, writtenMs, unchangedMs: watchLate(path, `${writtenMs} ${text}`) };
}

interface Watched {
  readonly content: string;
  readonly sinceMs: number;
}

// Leases that others hold at the moment. Of more, those that are forgotten are watched from the beginning.
const maxWatched = 10_000;
const watched = new Map<string, Watched>();

/** How long a file of a file system of several hosts has been the same; undefined if no cache can be old. */
function watchLate(path: string, content: string): number | undefined {
  if (!isShared(dirname(path))) return undefined;
  const now = performance.now();
  const before = watched.get(path);
  if (before?.content === content) return now - before.sinceMs;
  if (watched.size >= maxWatched) watched.clear();
  watched.set(path, { content, sinceMs: now });
  return 0;
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
