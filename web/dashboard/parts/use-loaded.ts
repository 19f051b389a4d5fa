import { useCallback, useEffect, useState } from "preact/hooks";

/** The loaded data; the last result stays while the next one is loading. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly problem: string | undefined;
  readonly reload: () => void;
}

/** Loads again whenever one of the keys changes; outdated results are dropped. */
export function useLoaded<T>(load: () => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [state, setState] = useState<{ readonly value: T | undefined; readonly problem: string | undefined }>({
    value: undefined,
    problem: undefined,
  });
  const [round, setRound] = useState(0);
  useEffect(() => {
    let isWanted = true;
    load().then(
      (value) => {
        if (isWanted) setState({ value, problem: undefined });
      },
      (error: unknown) => {
        if (isWanted)
          setState(({ value }) => ({ value, problem: error instanceof Error ? error.message : String(error) }));
      },
    );
    return () => {
      isWanted = false;
    };
  }, [...keys, round]);
  return { ...state, reload: useCallback(() => setRound((count) => count + 1), []) };
}
