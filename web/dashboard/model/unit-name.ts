import type { AttemptView } from "../../../src/dashboard/run-view.ts";

/** A unit of work in words. */
export function unitName(unit: AttemptView["unit"]): string {
  return unit === "merge" ? "merge" : `shard ${unit}`;
}
