import { close, fsync, open } from "node:fs";
import { yieldToEventLoop } from "../shared/yield-to-event-loop.ts";

// More than this were committed faster than the disk takes them one by one. The oldest are left to the operating system, which
// writes everything within half a minute: a list without end would fill the memory.
const mostWaiting = 5_000;
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
    if (this.waiting.length > 2 * mostWaiting) this.waiting = this.waiting.slice(-mostWaiting);
    if (this.putOff.length > 2 * mostWaiting) this.putOff = this.putOff.slice(-mostWaiting);
  }

  /** Starts a group if one is due and the one before it is through. Never waits. */
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
    const syncing = Promise.all([this.running, syncSoon([...group, this.folder])]).then(() => {
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

const pending = new Set<Promise<void>>();

/** Flushes files to the disk off the main thread. The process stays alive until it is through. */
export function syncSoon(paths: readonly string[]): Promise<void> {
  const syncing = syncInTurn(paths).finally(() => pending.delete(syncing));
  pending.add(syncing);
  return syncing;
}

/** When everything that was handed over so far is on the disk: for a process that is about to end itself. */
export async function whenSynced(): Promise<void> {
  while (pending.size > 0) await Promise.all(pending);
}

async function syncInTurn(paths: readonly string[]): Promise<void> {
  // Whoever hands files over has something to say first, most of all that it is through.
  await yieldToEventLoop();
  for (let i = 0; i < paths.length; i += atOnce) await Promise.all(paths.slice(i, i + atOnce).map(syncOne));
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
