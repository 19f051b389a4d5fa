import type { AttemptView } from "../../../src/dashboard/run-view.ts";

/** The name of a shard or of the merge. */
export function unitName(unit: AttemptView["unit"]): string {
  return unit === "merge" ? "merge" : `shard ${unit}`;
}
