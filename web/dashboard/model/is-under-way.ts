import type { Overview } from "../../../src/dashboard/run-view.ts";

/** Whether something works on a run, or will when a scheduler lets it. */
export function isUnderWay(state: Overview["state"]): boolean {
  return state === "running" || state === "queued";
}
