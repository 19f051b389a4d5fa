import { useCallback, useEffect, useState } from "preact/hooks";

/** What was asked for, once it is there; the last answer stays while the next one is on its way. */
export interface Loaded<T> {
  readonly value: T | undefined;
  readonly problem: string | undefined;
  readonly reload: () => void;
}

/** Asks anew whenever one of the keys changes; an answer to an older question is dropped. */
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
