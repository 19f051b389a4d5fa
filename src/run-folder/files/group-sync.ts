import { close, fsync, open } from "node:fs";
import { yieldToEventLoop } from "../../runtime/yield-to-event-loop.ts";

// The most files that wait for a flush. Of more, the oldest are left to the operating system, which writes everything
// within half a minute: an unlimited list would fill the memory.
const maxWaiting = 5_000;
// To flush a file takes a third of a millisecond of a core, and a fifth of that once the operating system has written it by
// itself. Work that is done again in less than this is not worth the difference.
const worthMsPerFile = 150;
const writtenByItselfMs = 40_000;

interface WaitingFile {
  readonly path: string;
  readonly dueMs: number;
}

/**
 * Makes committed files survive a power cut, in groups about once a second and off the main thread, instead of paying
 * a disk flush for every shard; those of quick shards later, or at the end. What a power cut takes before that, a resume
 * finds by its size and computes again. Flushing a file keeps its name in its folder too; the folder with the shards, whose
 * names have moved there, is flushed once a group.
 */
export class GroupSync {
  private waiting: string[] = [];
  /** Files of quick shards, in the order in which they are due. */
  private putOff: WaitingFile[] = [];
  private lastMs = performance.now();
  private running: Promise<void> | undefined;
  private readonly folder: string;
  private readonly intervalMs: number;

  constructor(folder: string, intervalMs = 1000) {
    this.folder = folder;
    this.intervalMs = intervalMs;
  }

  /** The files of a shard that took so long. */
  add(paths: readonly string[], tookMs: number): void {
    // One by one: a shard may have more files than a call can have arguments.
    if (tookMs >= worthMsPerFile * paths.length) for (const path of paths) this.waiting.push(path);
    else {
      const dueMs = performance.now() + writtenByItselfMs;
      for (const path of paths) this.putOff.push({ path, dueMs });
    }
    if (this.waiting.length > 2 * maxWaiting) this.waiting = this.waiting.slice(-maxWaiting);
    if (this.putOff.length > 2 * maxWaiting) this.putOff = this.putOff.slice(-maxWaiting);
  }

  /** Starts a group if one is due and the previous one has ended. Never waits. */
  poke(): void {
    const now = performance.now();
    if (this.running === undefined && now - this.lastMs >= this.intervalMs) this.start(now);
  }

  /** Starts the last group, with all that waits. The process stays alive until it is through; the run need not wait for it. */
  async finish(): Promise<void> {
    this.start(performance.now(), this.putOff.length);
    await this.running;
  }

  private start(now: number, due = this.countDue(now)): void {
    this.lastMs = now;
    const group = [...this.putOff.splice(0, due).map(({ path }) => path), ...this.waiting];
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
    const first = this.putOff.findIndex(({ dueMs }) => dueMs > now);
    return first < 0 ? this.putOff.length : first;
  }
}

// A few at a time: enough for the disk to flush them together, few enough to spare file descriptors.
const atOnce = 16;

interface WaitingGroup {
  readonly paths: string[];
  readonly onSynced: (() => void) | undefined;
}

// The most groups that wait, when many short runs are faster than the disk; older groups are left to the operating
// system.
const maxGroups = 32;

// One queue for all runs of this process: flushing every file at once would take a kilobyte and a descriptor each.
const queue: WaitingGroup[] = [];
let draining: Promise<void> | undefined;

/** Flushes files to the disk off the main thread, in turn. The process stays alive until it is through. */
export function syncSoon(paths: readonly string[], onSynced?: () => void): void {
  const last = queue.at(-1);
  // Files that one run adds one by one are one group, so they are not dropped for being many groups.
  if (onSynced === undefined && last !== undefined && last.onSynced === undefined) last.paths.push(...paths);
  else queue.push({ paths: [...paths], onSynced });
  leaveOldest();
  draining ??= drain();
}

function leaveOldest(): void {
  while (queue.length > maxGroups) queue.shift()!.onSynced?.();
  let excess = countWaiting() - 4 * maxWaiting;
  // The last path of a group is its folder.
  for (const { paths } of queue) {
    if (excess <= 0) return;
    excess -= paths.splice(0, Math.min(excess, paths.length - 1)).length;
  }
}

/** Resolves when everything added so far is on the disk: for a process that is about to exit. */
export async function whenSynced(): Promise<void> {
  while (draining !== undefined) await draining;
}

function countWaiting(): number {
  return queue.reduce((sum, { paths }) => sum + paths.length, 0);
}

async function drain(): Promise<void> {
  // The caller sends its messages first, above all that it has ended.
  await yieldToEventLoop();
  while (queue.length > 0) {
    const { paths, ended } = takeFirst(atOnce);
    await Promise.all(paths.map(syncOne));
    for (const { onSynced } of ended) onSynced?.();
  }
  draining = undefined;
}

/** Takes some files from the queue, with the groups that end with them. */
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

// A path that is gone by now was moved or removed by a later step, which syncs what it made itself.
function syncOne(path: string): Promise<void> {
  return new Promise((resolve) => {
    open(path, "r", (openError, fd) => {
      if (openError) resolve();
      else fsync(fd, () => close(fd, () => resolve()));
    });
  });
}
