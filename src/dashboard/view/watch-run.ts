import { messageOf } from "../../shared/errors.ts";
import type { Overview, Update } from "../run-view.ts";
import { type LiveView, openLiveView } from "./live-view.ts";

/** Who is told how a run goes. */
export interface Watcher {
  /** All there is, as JSON text that all watchers share: at first, and where it has to begin anew. */
  onSnapshot(json: string): void;
  /** What is new since. */
  onUpdate(json: string): void;
  /** The run cannot be read any more. */
  onEnd(why: string): void;
}

/** One run that is looked at, for all who want to know: one loop, which rests while nobody does. */
export interface RunWatch {
  /** The view, brought up to date if it has not been for a moment. */
  view(): Promise<LiveView>;
  /** Hands over a snapshot and tells how it goes on from there. Answers how to stop that. */
  subscribe(watcher: Watcher): () => void;
  /** Something was just done to the run: look soon. */
  poke(): void;
  isIdle(): boolean;
  close(): void;
}

interface WatchOptions {
  readonly now?: () => number;
  /** Called now and then while someone watches a run that is under way, to have a scheduler asked. */
  readonly onLook?: (overview: Overview) => void;
}

const runningMs = 1000;
const queuedMs = 2000;
const firstRestMs = 2000;
const longestRestMs = 15_000;
const freshMs = 500;
const idleAfterMs = 60_000;

export function watchRun(runDir: string, { now = Date.now, onLook }: WatchOptions = {}): RunWatch {
  const watchers = new Set<Watcher>();
  let opened: Promise<LiveView> | undefined;
  let refreshing: Promise<boolean> | undefined;
  let refreshedMs = Number.NEGATIVE_INFINITY;
  let usedMs = now();
  let lastSaid = "";
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
        // In one go, so that the first update is the one that follows the snapshot.
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
    opened ??= openLiveView(runDir, now).then(
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

  /** Brings the view up to date and tells the watchers. Answers whether anything has changed. */
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
      const anew = await open();
      for (const watcher of watchers) watcher.onSnapshot(snapshotText(anew));
      return true;
    }
    const overview = view.overview();
    onLook?.(overview);
    const isRunning = overview.state === "running";
    const said = JSON.stringify(overview);
    const isNew = said !== lastSaid || change.shards.length > 0 || change.attempts.length > 0;
    lastSaid = said;
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
      // The folder was removed, say. Whoever asks again may find another run there.
      opened = undefined;
      for (const watcher of [...watchers]) watcher.onEnd(messageOf(error));
    }
    if (isClosed || watchers.size === 0) return;
    restMs = isNew ? firstRestMs : Math.min(longestRestMs, restMs * 1.5);
    schedule(state === "running" ? runningMs : state === "queued" ? queuedMs : restMs);
  }
}
