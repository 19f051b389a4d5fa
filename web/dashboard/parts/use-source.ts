import { type Context, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { RunSource } from "../source/run-source.ts";

export const SourceContext: Context<RunSource | undefined> = createContext<RunSource | undefined>(undefined);

/** The data source of the page that contains a component. */
export function useSource(): RunSource {
  return useContext(SourceContext)!;
}
