import { existsSync } from "node:fs";
import { join } from "node:path";
import { sleepUnless } from "../shared/sleep.ts";
import { groupAttempts, noAttempts } from "../store/attempts.ts";
import { type Done, inspectShard } from "../store/done.ts";
import { readRecords } from "../store/read-records.ts";
import type { RunPaths } from "../store/run-paths.ts";
import { namesIn } from "../store/scan-shards.ts";
import { failuresName } from "../store/shard-file-names.ts";
import type { FailureRecord } from "./failure-log.ts";
import type { ShardClaim } from "./protocol.ts";
import { retryShard } from "./retry-shard.ts";
import { type ShardContext, ShardInterrupted } from "./shard-context.ts";
import type { RetryOrder } from "./work-options.ts";
import type { WorkerOutcome } from "./worker-job.ts";

const waitMs = 50;

/** The failed items of one committed shard. */
export function* failuresOfShard(paths: RunPaths, shard: number): Generator<FailureRecord> {
  const path = failuresPath(paths, shard);
  if (existsSync(path)) yield* readRecords<FailureRecord>(path);
}

/** Where the failed items of a committed shard stand, if there are any. */
export function failuresPath(paths: RunPaths, shard: number): string {
  return join(paths.shard(shard), failuresName);
}

/** Whether a failed item is one of those to be tried again. */
export function isWanted({ error }: Pick<RetryOrder, "error">): (failure: FailureRecord) => boolean {
  if (error === undefined) return () => true;
  const pattern = new RegExp(error.source, error.flags);
  return (failure) => failure.error.message.search(pattern) >= 0;
}

/** Runs the failed items of the shards in an order alone, shard by shard, until each was replaced by someone. */
export async function retryFailedShards(order: RetryOrder, context: ShardContext): Promise<WorkerOutcome["kind"]> {
  const isOver = () => context.isLeaving() || context.heartbeat.isDraining();
  let open = order.shards;
  for (;;) {
    const before = open.length;
    open = await retryEach(open, order, context);
    if (open.length === 0) return "complete";
    if (isOver() || context.isTooLarge?.()) return "left";
    // Someone is at them, or died at one and its lease has yet to run out.
    if (open.length === before) await sleepUnless(waitMs, isOver);
  }
}

/** One pass; answers the shards that are still to be replaced. */
async function retryEach(
  shards: RetryOrder["shards"],
  order: RetryOrder,
  context: ShardContext,
): Promise<RetryOrder["shards"]> {
  const { paths } = context.protocol;
  const left: [number, number][] = [];
  for (const [shard, attempt] of shards) {
    const sight = inspectShard(paths.shard(shard));
    if (sight.state === "committed" && sight.done.attempt !== attempt) continue;
    const isOver = context.isLeaving() || context.heartbeat.isDraining();
    const isDone = sight.state === "committed" && !isOver && (await retryOne(sight.done, order, context));
    if (!isDone) left.push([shard, attempt]);
  }
  return left;
}

async function retryOne(done: Done, order: RetryOrder, context: ShardContext): Promise<boolean> {
  const { protocol } = context;
  const seen = groupAttempts(namesIn(protocol.paths.attempts)).get(done.shard) ?? noAttempts;
  const claim = await protocol.claim(done.shard, seen, { replace: true, above: done.attempt });
  if (claim === undefined) return false;
  const failures = [...failuresOfShard(protocol.paths, done.shard)];
  const earlier = seen.active === undefined ? seen.fenced : [...seen.fenced, seen.active];
  try {
    const task = { done, failures, isWanted: isWanted(order), earlier };
    return (await retryShard(claim as ShardClaim, task, context)).kind === "committed";
  } catch (error) {
    if (error instanceof ShardInterrupted) return false;
    throw error;
  }
}
