import { type RunModel, takeSnapshot, takeUpdate } from "./model/run-model.ts";
import type { Link, RunSource } from "./source/run-source.ts";

/** A value with listeners. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  listen(listener: () => void): () => void;
}

export function makeStore<T>(first: T): Store<T> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The known state of a run; no model before the first event. */
export interface RunState {
  readonly link: Link;
  readonly model: RunModel | undefined;
}

/** The state of one run, updated by its event stream until it is closed. */
export function openRun(source: RunSource, id: string): Store<RunState> & { close(): void } {
  const store = makeStore<RunState>({ link: source.isLive ? "connecting" : "live", model: undefined });
  const close = source.watch(id, {
    snapshot: (snapshot) => {
      const model = takeSnapshot(snapshot, { before: store.get().model, now: Date.now() });
      store.set({ ...store.get(), model });
    },
    update: (update) => {
      const { model } = store.get();
      if (model !== undefined) store.set({ ...store.get(), model: takeUpdate(model, update, Date.now()) });
    },
    link: (link) => store.set({ ...store.get(), link }),
  });
  return { ...store, close };
}
