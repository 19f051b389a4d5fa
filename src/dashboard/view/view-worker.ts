import { describeWorker, type LiveReport } from "../../store/run-status.ts";
import type { WorkerView } from "../run-view.ts";

/** A worker's report as a page shows it. */
export function viewWorker(live: LiveReport, itemsOf: (shard: number) => number): WorkerView {
  const { shard, rss, ...rest } = describeWorker(live);
  return { ...rest, shard: shard ?? null, shardItems: shard === undefined ? 0 : itemsOf(shard), rss: rss ?? null };
}
