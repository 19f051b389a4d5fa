import { shardOf } from "../../plan/plan.ts";
import { inspectShard } from "../../store/done.ts";
import type { ShardView } from "../run-view.ts";
import type { LiveView } from "./live-view.ts";

// A shard may hold a file for each of its items.
const mostFiles = 1000;

/** One shard looked at closely; undefined where the plan has none of that number. */
export function viewShard({ paths, plan, letter, workers }: LiveView, shard: number): ShardView | undefined {
  if (!Number.isSafeInteger(shard) || shard < 0 || shard >= plan.shardCount) return undefined;
  const { from, to } = shardOf(plan, shard);
  const sight = inspectShard(paths.shard(shard));
  const place = { shard, from, to, letter: letter(shard) };
  if (sight.state === "committed") {
    const { worker, attempt, counts, files } = sight.done;
    const shown = files.slice(0, mostFiles).map(({ name, bytes }) => ({ name, bytes }));
    return { ...place, letter: counts.failed > 0 ? "f" : "c", worker, attempt, counts, files: shown };
  }
  const holder = workers().find(({ report }) => report.shard === shard)?.report;
  return { ...place, worker: holder?.worker ?? null, attempt: holder?.epoch ?? null, counts: null, files: [] };
}
