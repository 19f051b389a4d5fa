import { crc32 } from "../shared/crc32.ts";
import { MillraceError } from "../shared/errors.ts";
import { sleepUnless } from "../shared/sleep.ts";
import { groupAttempts, noAttempts, type UnitAttempts } from "../store/attempts.ts";
import type { Done } from "../store/done.ts";
import { publishRecords } from "../store/publish-records.ts";
import { namesIn } from "../store/scan-shards.ts";
import { findCommitted } from "./find-committed.ts";
import type { ShardClaim } from "./protocol.ts";
import { retryFailedShards } from "./retry-failed-shards.ts";
import { runShard } from "./run-shard.ts";
import { openShardContext, type ShardContext } from "./shard-context.ts";
import type { WorkerJob, WorkerOutcome } from "./worker-job.ts";

// While others hold the last shards, a worker waits for them: one of the holders may die.
const firstWaitMs = 20;
const longestWaitMs = 1000;

/** Claims shards until none is left, or runs failed items once more, if that is the order. */
export async function runWorker(job: WorkerJob): Promise<WorkerOutcome> {
  const { retry } = job.options;
  if (retry === undefined) return claimUntilComplete(job);
  return { kind: await retryFailedShards(job, retry), committed: new Map() };
}

/** The env is built once, and torn down whatever happens. */
async function claimUntilComplete(job: WorkerJob): Promise<WorkerOutcome> {
  let shards = await findCommitted(job);
  if (shards.open.length === 0) return { kind: "complete", committed: shards.committed };
  const failed = [...shards.committed.values()].reduce((sum, { counts }) => sum + counts.failed, 0);
  const env = await job.buildEnv();
  job.heartbeat.beat();
  const context = openShardContext(job, env, failed);
  try {
    let waitMs = firstWaitMs;
    for (;;) {
      const mine = await claimAndRun(shards.open, context);
      shards = await findCommitted(job, new Map([...shards.committed, ...mine]));
      const { committed } = shards;
      if (shards.open.length === 0) return { kind: "complete", committed };
      if (job.isLeaving() || job.isTooLarge?.()) return { kind: "left", committed };
      if (mine.size > 0) waitMs = firstWaitMs;
      else {
        await sleepUnless(waitMs, job.isLeaving);
        waitMs = Math.min(longestWaitMs, waitMs * 2);
      }
    }
  } catch (error) {
    // Before teardown, which may be the end of this process.
    job.onFailing?.(error);
    throw error;
  } finally {
    // Not waited for: the shards are complete, and a power cut before the disk has them is noticed at the next run.
    void context.sync.finish();
    context.missingKeys.stop();
    await job.teardown(env);
  }
}

/** One pass over the open shards: runs each that can be claimed. Answers those it committed. */
async function claimAndRun(open: readonly number[], context: ShardContext): Promise<ReadonlyMap<number, Done>> {
  const attempts = groupAttempts(namesIn(context.protocol.paths.attempts));
  const mine = new Map<number, Done>();
  let isInCompany = false;
  for (const id of inOwnOrder(open, context)) {
    if (context.isLeaving() || context.isTooLarge?.()) break;
    // Others may have committed much since the list was made; asking is cheaper than a claim that fails.
    if (isInCompany && (await context.protocol.isCommitted(id))) continue;
    const seen = attempts.get(id) ?? noAttempts;
    const claim = (await context.protocol.claim(id, seen)) as ShardClaim | undefined;
    if (claim === undefined) {
      isInCompany = true;
      continue;
    }
    const outcome = await runShard(claim, restorable(seen), context);
    if (outcome.kind !== "committed") continue;
    await checkOwnCheck(id, context);
    publishRecords(context.protocol.paths.shard(id), id, context.options.resultDir);
    mine.set(id, outcome.done);
  }
  return mine;
}

// Items of which a shard holds thousands are quick ones.
const itemsOfQuickShard = 1000;

/**
 * In order, so that heavy neighbours are shared out evenly. Where shards are quick, workers begin at different places:
 * they would follow each other from shard to shard otherwise, and ask for each whether it is done.
 */
function inOwnOrder(open: readonly number[], { plan, protocol }: ShardContext): readonly number[] {
  const { worker, watcher } = protocol.lease;
  if (watcher === undefined || plan.items.count < plan.shardCount * itemsOfQuickShard) return open;
  const start = crc32(Buffer.from(worker)) % open.length;
  return [...open.slice(start), ...open.slice(0, start)];
}

// A check that never says yes would have the shard computed for ever.
async function checkOwnCheck(id: number, { runner, traits, protocol }: ShardContext): Promise<void> {
  if (traits.isShardDone === undefined || (await traits.isShardDone(protocol.paths.shard(id)))) return;
  throw new MillraceError(
    "BAD_RUNNER",
    `${runner.name}.isShardDone says no to split.${id}, which was just committed.`,
    {
      hint: "It must return true for a shard that this runner has completed.",
    },
  );
}

function restorable({ fenced, active }: UnitAttempts): readonly number[] {
  return active === undefined ? fenced : [...fenced, active];
}
