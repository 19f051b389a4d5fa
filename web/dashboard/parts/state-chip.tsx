import type { JSX } from "preact";
import type { RunCard } from "../../../src/dashboard/run-view.ts";
import { isUnderWay } from "../../../src/run-folder/run/run-state.ts";

/** The state of a run in one word, with a mark besides the colour. */
export function StateChip({ state, stopping }: { state: RunCard["state"]; stopping?: string | null }): JSX.Element {
  const words = stopping === "drain" ? "draining" : stopping === "cancel" ? "stopping" : state;
  const isOver = state === "unreadable" || !isUnderWay(state);
  return <span class={`chip chip-${state.replaceAll(" ", "-")}`}>{isOver ? state : words}</span>;
}
