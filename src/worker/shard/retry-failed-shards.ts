import { join } from "node:path";
import type { RetryOrder } from "../../contract/work-options.ts";
import type { RunPaths } from "../../run-folder/files/run-paths.ts";
import { existsSync } from "../../run-folder/files/store-calls.ts";
import { groupAttempts, noAttempts } from "../../run-folder/lease/attempts.ts";
import { namesIn } from "../../run-folder/run/scan-shards.ts";
import { type Done, damagedShard, inspectShard } from "../../run-folder/shard/done.ts";
import { readRecords } from "../../run-folder/shard/read-records.ts";
import { failuresName } from "../../run-folder/shard/shard-file-names.ts";
import { sleepUnless } from "../../runtime/sleep.ts";
import type { ShardClaim } from "../lease-protocol.ts";
import type { WorkerOutcome } from "../worker-context.ts";
import { type FailureRecord, isFailureRecord } from "./failure-log.ts";
import { retryShard } from "./retry-shard.ts";
import { type ShardContext, ShardInterrupted } from "./shard-context.ts";

const waitMs = 50;
// The texts of a failure are cut at 64 kB each: no run writes a longer line.
const maxFailureBytes = 16 * 2 ** 20;

/** Reads the failed items of one committed shard. */
export function* failuresOfShard(paths: RunPaths, shard: number): Generator<FailureRecord> {
  const path = failuresPath(paths, shard);
  if (!existsSync(path)) return;
  for (const record of readRecords(path, { maxLineBytes: maxFailureBytes })) {
    if (!isFailureRecord(record)) throw damagedShard(`${path} holds a line that is not a failure record`);
    yield record;
  }
}

/** The path of the file with the failed items of a committed shard. It may not exist. */
export function failuresPath(paths: RunPaths, shard: number): string {
  return join(paths.shard(shard), failuresName);
}

/** Returns a function that returns whether a failed item is to be tried again. */
export function isWanted({ error }: Pick<RetryOrder, "error">): (failure: FailureRecord) => boolean {
  if (error === undefined) return () => true;
  const pattern = new RegExp(error.source, error.flags);
  return (failure) => failure.error.message.search(pattern) >= 0;
}

/**
 * Runs only the failed items of the shards in `order`, until each of these shards was replaced by this worker or another one.
 */
export async function retryFailedShards(order: RetryOrder, context: ShardContext): Promise<WorkerOutcome["kind"]> {
  const { isLeaving, isTooLarge, member } = context.worker;
  const mustLeave = () => isLeaving() || member.heartbeat.isDraining();
  let open = order.shards;
  for (;;) {
    const before = open.length;
    open = await retryEach(open, order, context);
    if (open.length === 0) return "complete";
    if (mustLeave() || isTooLarge?.()) return "left";
    // Other workers hold the rest, or one died and its lease has not expired yet.
    if (open.length === before) await sleepUnless(waitMs, mustLeave);
  }
}

/** Tries each shard once. Returns the shards that are still to be replaced. */
async function retryEach(
  shards: RetryOrder["shards"],
  order: RetryOrder,
  context: ShardContext,
): Promise<RetryOrder["shards"]> {
  const { run, member, isLeaving } = context.worker;
  const left: [number, number][] = [];
  for (const [shard, attempt] of shards) {
    const inspection = inspectShard(run.paths.shard(shard));
    if (inspection.state === "committed" && inspection.done.attempt !== attempt) continue;
    const mustLeave = isLeaving() || member.heartbeat.isDraining();
    const isDone = inspection.state === "committed" && !mustLeave && (await retryOne(inspection.done, order, context));
    if (!isDone) left.push([shard, attempt]);
  }
  return left;
}

async function retryOne(done: Done, order: RetryOrder, context: ShardContext): Promise<boolean> {
  const { run, member } = context.worker;
  const seen = groupAttempts(namesIn(run.paths.attempts)).get(done.shard) ?? noAttempts;
  const claim = await member.protocol.claim(done.shard, seen, { replace: true, above: done.attempt });
  if (claim === undefined) return false;
  // Another worker may have replaced the shard between the inspection and the claim: the next pass finds that.
  if (!isSameAttempt(done, run.paths)) {
    await member.protocol.drop(claim);
    return false;
  }
  const failures = [...failuresOfShard(run.paths, done.shard)];
  const earlier = seen.active === undefined ? seen.fenced : [...seen.fenced, seen.active];
  try {
    const task = { done, failures, isWanted: isWanted(order), earlier };
    return (await retryShard(claim as ShardClaim, task, context)).kind === "committed";
  } catch (error) {
    if (error instanceof ShardInterrupted) return false;
    throw error;
  }
}

function isSameAttempt({ shard, attempt }: Done, paths: RunPaths): boolean {
  const now = inspectShard(paths.shard(shard));
  return now.state === "committed" && now.done.attempt === attempt;
}
