import { close, fsync, open } from "node:fs";
import { yieldToEventLoop } from "../../runtime/yield-to-event-loop.ts";

// The maximum number of files that wait for a flush: an unlimited list would fill the memory. If there are more, the
// oldest are left to the operating system, which writes everything within half a minute.
const maxWaiting = 5_000;
// Flushing a file takes a third of a millisecond of CPU time, and a fifth of that after the operating system has
// written it. If the work can be done again in less time than this, its files are flushed later.
const minWorkMsPerFile = 150;
const systemFlushMs = 40_000;

interface WaitingFile {
  readonly path: string;
  readonly dueMs: number;
}

/**
 * Flushes committed files to the disk, so that they survive a power cut: in groups, about once a second, off the main
 * thread. The files of quick shards are flushed later, or at the end. If a power cut comes before, a resume notices the
 * wrong sizes and computes those shards again. Flushing a file also flushes its name; the folder into which the shards
 * were renamed is flushed once a group.
 */
export class GroupSync {
  private waiting: string[] = [];
  /** Files of quick shards, in the order in which they are due. */
  private delayed: WaitingFile[] = [];
  private lastMs = performance.now();
  private running: Promise<void> | undefined;
  private readonly folder: string;
  private readonly intervalMs: number;

  constructor(folder: string, intervalMs = 1000) {
    this.folder = folder;
    this.intervalMs = intervalMs;
  }

  /** Adds the files of a shard that took `tookMs`. */
  add(paths: readonly string[], tookMs: number): void {
    // Not `push(...paths)`: a shard may have more files than a call can have arguments.
    if (tookMs >= minWorkMsPerFile * paths.length) for (const path of paths) this.waiting.push(path);
    else {
      const dueMs = performance.now() + systemFlushMs;
      for (const path of paths) this.delayed.push({ path, dueMs });
    }
    if (this.waiting.length > 2 * maxWaiting) this.waiting = this.waiting.slice(-maxWaiting);
    if (this.delayed.length > 2 * maxWaiting) this.delayed = this.delayed.slice(-maxWaiting);
  }

  /** Starts a group if one is due and the previous one has ended. Never waits. */
  startIfDue(): void {
    const now = performance.now();
    if (this.running === undefined && now - this.lastMs >= this.intervalMs) this.start(now);
  }

  /** Starts the last group, with all files that wait. The process stays alive until it is flushed; the run need not wait. */
  async finish(): Promise<void> {
    this.start(performance.now(), this.delayed.length);
    await this.running;
  }

  private start(now: number, due = this.countDue(now)): void {
    this.lastMs = now;
    const group = [...this.delayed.splice(0, due).map(({ path }) => path), ...this.waiting];
    this.waiting = [];
    if (group.length === 0) return;
    const syncing = new Promise<void>((resolve) => {
      syncSoon([...group, this.folder], resolve);
    }).then(() => {
      if (this.running === syncing) this.running = undefined;
    });
    this.running = syncing;
  }

  private countDue(now: number): number {
    const first = this.delayed.findIndex(({ dueMs }) => dueMs > now);
    return first < 0 ? this.delayed.length : first;
  }
}

// Files flushed at a time: enough for the disk to write them together, and few file descriptors.
const filesAtATime = 16;

interface WaitingGroup {
  readonly paths: string[];
  readonly onSynced: (() => void) | undefined;
}

// The maximum number of groups that wait, if many short runs are faster than the disk. Older groups are left to the
// operating system.
const maxGroups = 32;

// One queue for all runs of this process: flushing all files at the same time would take a kilobyte and a descriptor
// for each.
const queue: WaitingGroup[] = [];
let draining: Promise<void> | undefined;

/** Flushes files to the disk off the main thread, in order. The process stays alive until they are flushed. */
export function syncSoon(paths: readonly string[], onSynced?: () => void): void {
  const last = queue.at(-1);
  // Files that a run adds one by one form one group: many groups would exceed `maxGroups` and be dropped.
  if (onSynced === undefined && last !== undefined && last.onSynced === undefined) last.paths.push(...paths);
  else queue.push({ paths: [...paths], onSynced });
  dropOldest();
  draining ??= drain();
}

function dropOldest(): void {
  while (queue.length > maxGroups) queue.shift()!.onSynced?.();
  let excess = countWaiting() - 4 * maxWaiting;
  // The last path of a group is its folder.
  for (const { paths } of queue) {
    if (excess <= 0) return;
    excess -= paths.splice(0, Math.min(excess, paths.length - 1)).length;
  }
}

/** Resolves when all files added so far are on the disk. A process calls it before it exits. */
export async function whenSynced(): Promise<void> {
  while (draining !== undefined) await draining;
}

function countWaiting(): number {
  return queue.reduce((sum, { paths }) => sum + paths.length, 0);
}

async function drain(): Promise<void> {
  // The caller first sends its messages, above all the one that it has ended.
  await yieldToEventLoop();
  while (queue.length > 0) {
    const { paths, ended } = takeFirst(filesAtATime);
    await Promise.all(paths.map(syncOne));
    for (const { onSynced } of ended) onSynced?.();
  }
  draining = undefined;
}

/** Takes up to `count` files from the queue, and the groups that are complete with them. */
function takeFirst(count: number): { readonly paths: string[]; readonly ended: WaitingGroup[] } {
  const paths: string[] = [];
  const ended: WaitingGroup[] = [];
  while (paths.length < count && queue.length > 0) {
    const [group] = queue as [WaitingGroup];
    paths.push(...group.paths.splice(0, count - paths.length));
    if (group.paths.length === 0) ended.push(queue.shift()!);
  }
  return { paths, ended };
}

// A path that does not exist any more was moved or removed by a later step, which flushes its own files.
function syncOne(path: string): Promise<void> {
  return new Promise((resolve) => {
    open(path, "r", (openError, fd) => {
      if (openError) resolve();
      else fsync(fd, () => close(fd, () => resolve()));
    });
  });
}
