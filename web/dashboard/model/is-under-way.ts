import type { Overview } from "../../../src/dashboard/run-view.ts";

/** True if a run is being worked on, or is queued. */
export function isUnderWay(state: Overview["state"]): boolean {
  return state === "running" || state === "queued";
}
