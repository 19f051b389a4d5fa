import { type Context, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { RunSource } from "../source/run-source.ts";

export const SourceContext: Context<RunSource | undefined> = createContext<RunSource | undefined>(undefined);

/** Where the page that a part stands on has its data from. */
export function useSource(): RunSource {
  return useContext(SourceContext)!;
}
