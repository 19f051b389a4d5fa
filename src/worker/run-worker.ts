import { addRunPlace } from "../contract/run-place.ts";
import { MillraceError } from "../errors/errors.ts";
import { quickShardBatches } from "../plan/make-plan.ts";
import { isSlowFolder } from "../run-folder/files/is-slow-folder.ts";
import { groupAttempts, type KnownAttempts } from "../run-folder/lease/attempts.ts";
import { publishRecords } from "../run-folder/run/publish-records.ts";
import { namesIn } from "../run-folder/run/scan-shards.ts";
import { type KnownShard, knownShard } from "../run-folder/shard/known-shard.ts";
import { sleepUnless } from "../runtime/sleep.ts";
import { untilIdle } from "../runtime/until-idle.ts";
import { type ClaimPort, claimLoop } from "./claim-loop.ts";
import type { ShardClaim } from "./lease-protocol.ts";
import { openShards, type StartShard } from "./open-shards.ts";
import { limitTrouble } from "./outlast-trouble.ts";
import { retryFailedShards } from "./shard/retry-failed-shards.ts";
import { runShard } from "./shard/run-shard.ts";
import { openShardContext, type ShardContext } from "./shard/shard-context.ts";
import { openShardView, type ShardView } from "./shard/shard-view.ts";
import type { WorkerContext, WorkerOutcome } from "./worker-context.ts";

// Up to this many workers, each finds its next shard after a few tries.
const fewWorkers = 16;

/** Claims shards until none is left, or runs failed items again if `options.retry` asks for it. */
export async function runWorker(worker: WorkerContext): Promise<WorkerOutcome> {
  const { task } = worker;
  const { retry } = task.options;
  if (retry === undefined) return claimUntilComplete(worker);
  // These items have failed before: a second failure is not counted again and does not end the run.
  const options = { ...task.options, onError: "skip", maxFailures: Number.POSITIVE_INFINITY } as const;
  const retrying = { ...worker, task: { ...task, options } };
  const kind = await withEnv(retrying, 0, (context) => retryFailedShards(retry, context));
  return { kind, committed: new Map() };
}

async function claimUntilComplete(worker: WorkerContext): Promise<WorkerOutcome> {
  const view = await openShardView(worker);
  const open = await view.listOpen();
  if (open.length === 0) return { kind: "complete", committed: view.known };
  const kind = await withEnv(worker, view.failed, (context) => claimShards(open, context, view));
  return { kind, committed: view.known };
}

async function claimShards(
  open: readonly number[],
  context: ShardContext,
  view: ShardView,
): Promise<WorkerOutcome["kind"]> {
  if (context.calls.isPlain)
    return claimLoop(
      open,
      portOf(context, view, (run) => run(() => {})),
    );
  // Several shards at a time: calls of the next shard begin while the last calls of this one are still open.
  const shards = openShards(context);
  const port = portOf(shards.context, view, shards.start);
  return shards.finish(() => claimLoop(open, { ...port, wait: shards.wait }));
}

/** Builds the env, runs `work`, and tears the env down in every case. */
async function withEnv<Result>(
  worker: WorkerContext,
  alreadyFailed: number,
  work: (context: ShardContext) => Promise<Result>,
): Promise<Result> {
  const { task, member, onFailing } = worker;
  const env = await untilIdle(task.buildEnv(), () => neverBuilt(task.hooks.name));
  const removePlace = addRunPlace(env, task.place ?? {});
  member.heartbeat.beat();
  const context = openShardContext(worker, env, alreadyFailed);
  try {
    return await work(context);
  } catch (error) {
    // Called before teardown, which may end this process.
    onFailing?.(error);
    throw error;
  } finally {
    // Not awaited: the shards are complete, and after a power cut the next start notices what is missing.
    void context.sync.finish();
    context.calls.rate?.close();
    context.missingKeys.stop();
    try {
      await task.teardown(env);
    } finally {
      removePlace();
    }
  }
}

function neverBuilt(runner: string): MillraceError {
  return new MillraceError("ENV_FAILED", `The env of ${runner} waits for a promise that can never settle.`, {
    hint: "Find the promise that is never resolved: nothing else was left to do in this process.",
  });
}

/** The run folder as the claim loop uses it; `start` begins with a shard and returns when the next one may be claimed. */
function portOf(context: ShardContext, view: ShardView, start: StartShard): ClaimPort<ShardClaim> {
  const { run, task, member, isLeaving, isTooLarge } = context.worker;
  const { protocol, heartbeat } = member;
  const { paths } = run;
  let mine = new Map<number, KnownShard>();
  const wait = (ms: number) => sleepUnless(ms, () => isLeaving() || heartbeat.isDraining());
  const { outlast, reset } = limitTrouble(wait);
  return {
    isSpread: isSpread(context.worker),
    isSlow: isSlowFolder(paths.root),
    random: Math.random,
    listOpen() {
      const since = mine;
      mine = new Map();
      return view.listOpen(since);
    },
    attempts: () => groupAttempts(namesIn(paths.attempts)),
    isCommitted: protocol.isCommitted,
    claim: (id, seen) => outlast(() => protocol.claim(id, seen) as Promise<ShardClaim | undefined>, undefined),
    // An attempt that the file system has ended was released: it is continued later, by whichever worker claims the shard.
    run: (claim, seen) => start((onAllBegun) => outlast(() => runClaimed(claim, seen, onAllBegun), undefined)),
    mustLeave: () => isLeaving() || heartbeat.isDraining() || (isTooLarge?.() ?? false),
    wait,
  };

  async function runClaimed(claim: ShardClaim, seen: KnownAttempts, onAllBegun: () => void): Promise<void> {
    const outcome = await runShard(claim, restorable(seen), context, onAllBegun);
    if (outcome.kind !== "committed") return;
    await assertIsShardDoneAgrees(claim.target, context.worker);
    publishRecords(paths.shard(claim.target), claim.target, task.options.resultDir);
    mine.set(claim.target, knownShard(outcome.done));
    reset();
  }
}

function isSpread({ run: { paths, plan }, member, workerCount }: WorkerContext): boolean {
  if (workerCount > fewWorkers || isSlowFolder(paths.root)) return true;
  return member.lease.watcher !== undefined && plan.items.count >= plan.shardCount * quickShardBatches;
}

// If `isShardDone` always returned false, the shard would be computed again and again.
async function assertIsShardDoneAgrees(id: number, { run, task: { hooks, traits } }: WorkerContext): Promise<void> {
  if (traits.isShardDone === undefined || (await traits.isShardDone(run.paths.shard(id)))) return;
  throw new MillraceError(
    "BAD_RUNNER",
    `${hooks.name}.isShardDone returned false for split.${id}, which was just committed.`,
    {
      hint: "It must return true for a shard that this runner has completed.",
    },
  );
}

function restorable({ fenced, active }: KnownAttempts): readonly number[] {
  return active === undefined ? fenced : [...fenced, active];
}
