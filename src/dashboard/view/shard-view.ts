import { shardOf } from "../../plan/plan.ts";
import { inspectShard } from "../../run-folder/shard/done.ts";
import type { ShardView } from "../run-view.ts";
import type { LiveView } from "./live-view.ts";

// A shard may have one file per item.
const maxFiles = 1000;

/** The details of one shard; undefined if the plan has no such shard. */
export function viewShard({ paths, plan, letter, workers }: LiveView, shard: number): ShardView | undefined {
  if (!Number.isSafeInteger(shard) || shard < 0 || shard >= plan.shardCount) return undefined;
  const { from, to } = shardOf(plan, shard);
  const inspection = inspectShard(paths.shard(shard));
  const place = { shard, from, to, letter: letter(shard) };
  if (inspection.state === "committed") {
    const { worker, attempt, counts, files } = inspection.done;
    const shown = files.slice(0, maxFiles).map(({ name, bytes }) => ({ name, bytes }));
    return { ...place, letter: counts.failed > 0 ? "f" : "c", worker, attempt, counts, files: shown };
  }
  const holder = workers().find(({ report }) => report.shard === shard)?.report;
  return { ...place, worker: holder?.worker ?? null, attempt: holder?.epoch ?? null, counts: null, files: [] };
}
