import { useEffect, useReducer } from "preact/hooks";
import type { Store } from "../store.ts";

/** The value of a store, now and whenever it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, renderAgain] = useReducer<number, void>((count) => count + 1, 0);
  const shown = store.get();
  useEffect(() => {
    const stop = store.listen(() => renderAgain());
    // It may have changed between the first rendering and this effect.
    if (!Object.is(shown, store.get())) renderAgain();
    return stop;
  }, [store]);
  return shown;
}
