import type { JSX } from "preact";
import type { RunCard } from "../../../src/dashboard/run-view.ts";

/** The state of a run in one word, with a mark that is not only a colour. */
export function StateChip({ state, stopping }: { state: RunCard["state"]; stopping?: string | null }): JSX.Element {
  const words = stopping === "drain" ? "draining" : stopping === "cancel" ? "stopping" : state;
  const isOver = state === "complete" || state === "stopped";
  return <span class={`chip chip-${state}`}>{isOver ? state : words}</span>;
}
