import { batchesOfQuickShard } from "../plan/make-plan.ts";
import { MillraceError } from "../shared/errors.ts";
import { sleepUnless } from "../shared/sleep.ts";
import { groupAttempts, type UnitAttempts } from "../store/attempts.ts";
import { type KnownShard, knownShard } from "../store/known-shard.ts";
import { publishRecords } from "../store/publish-records.ts";
import { namesIn } from "../store/scan-shards.ts";
import { type ClaimPort, claimLoop } from "./claim-loop.ts";
import type { ShardClaim } from "./protocol.ts";
import { retryFailedShards } from "./retry-failed-shards.ts";
import { runShard } from "./run-shard.ts";
import { openShardContext, type ShardContext } from "./shard-context.ts";
import { openShardView, type ShardView } from "./shard-view.ts";
import type { WorkerJob, WorkerOutcome } from "./worker-job.ts";

// With so few workers each finds its next shard after a few tries at most.
const smallCompany = 16;

/** Claims shards until none is left, or runs failed items once more, if that is the order. */
export async function runWorker(job: WorkerJob): Promise<WorkerOutcome> {
  const { retry } = job.options;
  if (retry === undefined) return claimUntilComplete(job);
  // What failed before is what is tried again: it does not count once more, and does not end the run.
  const options = { ...job.options, onError: "skip", maxFailures: Number.POSITIVE_INFINITY } as const;
  const kind = await withEnv({ ...job, options }, 0, (context) => retryFailedShards(retry, context));
  return { kind, committed: new Map() };
}

async function claimUntilComplete(job: WorkerJob): Promise<WorkerOutcome> {
  const view = await openShardView(job);
  const open = await view.look();
  if (open.length === 0) return { kind: "complete", committed: view.known };
  const kind = await withEnv(job, view.failed, (context) => claimLoop(open, portOf(context, view)));
  return { kind, committed: view.known };
}

/** The env is built once, and torn down whatever happens. */
async function withEnv<Result>(
  job: WorkerJob,
  alreadyFailed: number,
  work: (context: ShardContext) => Promise<Result>,
): Promise<Result> {
  const env = await job.buildEnv();
  job.heartbeat.beat();
  const context = openShardContext(job, env, alreadyFailed);
  try {
    return await work(context);
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

/** The run folder as the loop sees it. */
function portOf(context: ShardContext, view: ShardView): ClaimPort<ShardClaim> {
  const { protocol, options, isLeaving, heartbeat } = context;
  const { paths } = protocol;
  let mine = new Map<number, KnownShard>();
  return {
    isSpread: isSpread(context),
    random: Math.random,
    look() {
      const since = mine;
      mine = new Map();
      return view.look(since);
    },
    attempts: () => groupAttempts(namesIn(paths.attempts)),
    isCommitted: protocol.isCommitted,
    claim: (id, seen) => protocol.claim(id, seen) as Promise<ShardClaim | undefined>,
    async run(claim, seen) {
      const outcome = await runShard(claim, restorable(seen), context);
      if (outcome.kind !== "committed") return;
      await checkOwnCheck(claim.unit, context);
      publishRecords(paths.shard(claim.unit), claim.unit, options.resultDir);
      mine.set(claim.unit, knownShard(outcome.done));
    },
    isOver: () => isLeaving() || heartbeat.isDraining() || (context.isTooLarge?.() ?? false),
    wait: (ms) => sleepUnless(ms, () => isLeaving() || heartbeat.isDraining()),
  };
}

function isSpread({ plan, protocol, company }: ShardContext): boolean {
  if (company > smallCompany) return true;
  return protocol.lease.watcher !== undefined && plan.items.count >= plan.shardCount * batchesOfQuickShard;
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
