import { close, fsync, open } from "node:fs";
import { yieldToEventLoop } from "../shared/yield-to-event-loop.ts";

// More than this were committed faster than the disk takes them one by one. The oldest are left to the operating system, which
// writes everything within half a minute: a list without end would fill the memory.
const mostWaiting = 5_000;

/**
 * Makes committed files survive a power cut, in groups about once a second and off the main thread, instead of paying
 * a disk flush for every shard. What a power cut takes before that, a resume finds by its size and computes again. Flushing a
 * file keeps its name in its folder too; the folder with the shards, whose names have moved there, is flushed once a group.
 */
export class GroupSync {
  private waiting: string[] = [];
  private lastMs = performance.now();
  private running: Promise<void> | undefined;
  private readonly folder: string;
  private readonly intervalMs: number;

  constructor(folder: string, intervalMs = 1000) {
    this.folder = folder;
    this.intervalMs = intervalMs;
  }

  add(paths: readonly string[]): void {
    // One by one: a shard may have more files than a call can have arguments.
    for (const path of paths) this.waiting.push(path);
    if (this.waiting.length > 2 * mostWaiting) this.waiting = this.waiting.slice(-mostWaiting);
  }

  /** Starts a group if one is due and the one before it is through. Never waits. */
  poke(): void {
    if (this.running === undefined && performance.now() - this.lastMs >= this.intervalMs) this.start();
  }

  /** Starts the last group. The process stays alive until it is through; the run need not wait for it. */
  async finish(): Promise<void> {
    this.start();
    await this.running;
  }

  private start(): void {
    this.lastMs = performance.now();
    const group = this.waiting;
    this.waiting = [];
    if (group.length === 0) return;
    const syncing = Promise.all([this.running, syncSoon([...group, this.folder])]).then(() => {
      if (this.running === syncing) this.running = undefined;
    });
    this.running = syncing;
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
