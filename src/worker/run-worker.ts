import { MillraceError } from "../shared/errors.ts";
import { sleepUnless } from "../shared/sleep.ts";
import { groupAttempts, noAttempts, type UnitAttempts } from "../store/attempts.ts";
import type { Done } from "../store/done.ts";
import { publishRecords } from "../store/publish-records.ts";
import { namesIn } from "../store/scan-shards.ts";
import { chooseShards } from "./choose-shards.ts";
import type { ShardClaim } from "./protocol.ts";
import { retryFailedShards } from "./retry-failed-shards.ts";
import { runShard } from "./run-shard.ts";
import { openShardContext, type ShardContext } from "./shard-context.ts";
import { openShardView } from "./shard-view.ts";
import type { WorkerJob, WorkerOutcome } from "./worker-job.ts";

// While others hold the last shards, a worker waits for them: one of the holders may die. Many wait longer, so that their
// looking does not hold up those who work.
const firstWaitMs = 20;
const longestWaitMs = 1000;
const waitMsPerHolder = 10;
// So many shards in a row that others were quicker to take: what this worker knows is too old, and it looks again.
const mostMisses = 4;
// With so few workers each finds its next shard after a few tries at most.
const smallCompany = 16;
// Items of which a shard holds thousands are quick ones.
const itemsOfQuickShard = 1000;

/** Claims shards until none is left, or runs failed items once more, if that is the order. */
export async function runWorker(job: WorkerJob): Promise<WorkerOutcome> {
  const { retry } = job.options;
  if (retry === undefined) return claimUntilComplete(job);
  return { kind: await retryFailedShards(job, retry), committed: new Map() };
}

/** The env is built once, and torn down whatever happens. */
async function claimUntilComplete(job: WorkerJob): Promise<WorkerOutcome> {
  const view = await openShardView(job);
  let open = await view.look();
  if (open.length === 0) return { kind: "complete", committed: view.known };
  const env = await job.buildEnv();
  job.heartbeat.beat();
  const context = openShardContext(job, env, view.failed);
  try {
    let waitMs = firstWaitMs;
    for (let number = 0; ; number++) {
      const pass = await claimAndRun(open, number, context);
      open = await view.look(pass.mine);
      if (open.length === 0) return { kind: "complete", committed: view.known };
      if (job.isLeaving() || job.isTooLarge?.()) return { kind: "left", committed: view.known };
      if (pass.mine.size > 0 || pass.isOutdated) waitMs = firstWaitMs;
      else {
        await sleepUnless(waitMs, job.isLeaving);
        waitMs = Math.min(Math.max(longestWaitMs, waitMsPerHolder * pass.holders), waitMs * 2);
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

/** What came of one pass over the open shards. */
interface Pass {
  readonly mine: ReadonlyMap<number, Done>;
  /** Others were quicker too often: there may be more that is free. */
  readonly isOutdated: boolean;
  /** How many shards others held. */
  readonly holders: number;
}

/** One pass over the open shards: runs each that can be claimed. */
async function claimAndRun(open: readonly number[], number: number, context: ShardContext): Promise<Pass> {
  const { protocol } = context;
  const attempts = groupAttempts(namesIn(protocol.paths.attempts));
  const chooser = { worker: protocol.lease.worker, pass: number, isSpread: isSpread(context) };
  const { free, held } = chooseShards(open, attempts, chooser);
  const mine = new Map<number, Done>();
  let misses = 0;
  let isInCompany = false;
  for (const id of [...free, ...held]) {
    if (context.isLeaving() || context.isTooLarge?.()) break;
    const seen = attempts.get(id) ?? noAttempts;
    // Others may have committed much since the list was made; asking is cheaper than a claim that fails.
    const isTaken = isInCompany && (await protocol.isCommitted(id));
    const claim = isTaken ? undefined : ((await protocol.claim(id, seen)) as ShardClaim | undefined);
    if (claim === undefined) {
      isInCompany = true;
      if (seen.active === undefined && ++misses >= mostMisses) return { mine, isOutdated: true, holders: held.length };
      continue;
    }
    misses = 0;
    const outcome = await runShard(claim, restorable(seen), context);
    if (outcome.kind !== "committed") continue;
    await checkOwnCheck(id, context);
    publishRecords(protocol.paths.shard(id), id, context.options.resultDir);
    mine.set(id, outcome.done);
  }
  return { mine, isOutdated: false, holders: held.length };
}

function isSpread({ plan, protocol, company }: ShardContext): boolean {
  if (company > smallCompany) return true;
  return protocol.lease.watcher !== undefined && plan.items.count >= plan.shardCount * itemsOfQuickShard;
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
