import { messageOf } from "../../errors/errors.ts";
import type { ObservedJobs } from "../../run-folder/jobs/job-queue-status.ts";
import { isAtWork } from "../../run-folder/run/run-state.ts";
import type { Overview, Update } from "../run-view.ts";
import { type LiveView, openLiveView } from "./live-view.ts";

/** A subscriber of a run. */
export interface Watcher {
  /** The complete state, as JSON text that all watchers share: first, and when the stream restarts. */
  onSnapshot(json: string): void;
  /** The changes since then. */
  onUpdate(json: string): void;
  /** The run can no longer be read. */
  onEnd(why: string): void;
}

/** One polling loop per run, shared by all watchers; it pauses while there are none. */
export interface RunWatch {
  /** The view, refreshed if it is not recent. */
  view(): Promise<LiveView>;
  /** Sends a snapshot and then updates. Returns a function that unsubscribes. */
  subscribe(watcher: Watcher): () => void;
  /** An action was executed on the run: refresh soon. */
  poke(): void;
  isIdle(): boolean;
  close(): void;
}

interface WatchOptions {
  readonly now?: () => number;
  /** Called now and then while an active run is watched, to query its scheduler. */
  readonly onLook?: (overview: Overview) => void;
  /** What that scheduler said. */
  readonly seenJobs?: () => ObservedJobs | undefined;
}

const runningMs = 1000;
const queuedMs = 2000;
const firstRestMs = 2000;
const maxRestMs = 15_000;
const freshMs = 500;
const idleAfterMs = 60_000;

export function watchRun(runDir: string, { now = Date.now, onLook, seenJobs }: WatchOptions = {}): RunWatch {
  const watchers = new Set<Watcher>();
  let opened: Promise<LiveView> | undefined;
  let refreshing: Promise<boolean> | undefined;
  let refreshedMs = Number.NEGATIVE_INFINITY;
  let usedMs = now();
  let lastSent = "";
  let cached: { readonly version: number; readonly json: string } | undefined;
  let version = 0;
  let timer: NodeJS.Timeout | undefined;
  let restMs = firstRestMs;
  let isClosed = false;

  return {
    async view() {
      usedMs = now();
      if (now() - refreshedMs > freshMs) await refresh();
      return open();
    },
    subscribe(watcher) {
      let isWanted = true;
      void begin().catch((error: unknown) => watcher.onEnd(messageOf(error)));
      return () => {
        isWanted = false;
        usedMs = now();
        if (watchers.delete(watcher) && watchers.size === 0) {
          clearTimeout(timer);
          timer = undefined;
        }
      };

      async function begin(): Promise<void> {
        usedMs = now();
        if (now() - refreshedMs > freshMs) await refresh();
        const view = await open();
        if (!isWanted) return;
        // Synchronous, so that the first update is the one after the snapshot.
        watcher.onSnapshot(snapshotText(view));
        watchers.add(watcher);
        if (timer === undefined) schedule(runningMs);
      }
    },
    poke() {
      restMs = firstRestMs;
      if (watchers.size > 0) schedule(0);
    },
    isIdle: () => watchers.size === 0 && refreshing === undefined && now() - usedMs > idleAfterMs,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };

  function open(): Promise<LiveView> {
    opened ??= openLiveView(runDir, now, seenJobs).then(
      (view) => {
        refreshedMs = now();
        version++;
        return view;
      },
      (error: unknown) => {
        opened = undefined;
        throw error;
      },
    );
    return opened;
  }

  function snapshotText(view: LiveView): string {
    if (cached?.version !== version) cached = { version, json: JSON.stringify(view.snapshot()) };
    return cached.json;
  }

  /** Refreshes the view and notifies the watchers. Returns true if anything changed. */
  function refresh(): Promise<boolean> {
    refreshing ??= refreshNow().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  async function refreshNow(): Promise<boolean> {
    const isFirst = opened === undefined;
    const view = await open();
    if (isFirst) return true;
    const change = await view.refresh();
    refreshedMs = now();
    version++;
    if (change === undefined) {
      opened = undefined;
      const again = await open();
      for (const watcher of watchers) watcher.onSnapshot(snapshotText(again));
      return true;
    }
    const overview = view.overview();
    onLook?.(overview);
    const isRunning = isAtWork(overview.state);
    const said = JSON.stringify(overview);
    const isNew = said !== lastSent || change.shards.length > 0 || change.attempts.length > 0;
    lastSent = said;
    if (watchers.size > 0 && (isNew || isRunning)) {
      const update: Update = { overview, ...change, rates: isRunning ? [view.rateNow()] : [] };
      const json = JSON.stringify(update);
      for (const watcher of watchers) watcher.onUpdate(json);
    }
    return isNew;
  }

  function schedule(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => void turn(), ms);
    timer.unref();
  }

  async function turn(): Promise<void> {
    let isNew = false;
    let state: Overview["state"] | undefined;
    try {
      isNew = await refresh();
      state = (await open()).overview().state;
    } catch (error) {
      // For example, the folder was removed. A later request may find another run there.
      opened = undefined;
      for (const watcher of [...watchers]) watcher.onEnd(messageOf(error));
    }
    if (isClosed || watchers.size === 0) return;
    restMs = isNew ? firstRestMs : Math.min(maxRestMs, restMs * 1.5);
    schedule(state !== undefined && isAtWork(state) ? runningMs : state === "queued" ? queuedMs : restMs);
  }
}
