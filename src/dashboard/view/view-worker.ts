import { describeWorker, type LiveReport } from "../../run-folder/run/run-status.ts";
import type { WorkerView } from "../run-view.ts";

/** A worker's report for display. */
export function viewWorker(live: LiveReport, itemsOf: (shard: number) => number): WorkerView {
  const { shard, rss, ...rest } = describeWorker(live);
  return { ...rest, shard: shard ?? null, shardItems: shard === undefined ? 0 : itemsOf(shard), rss: rss ?? null };
}
