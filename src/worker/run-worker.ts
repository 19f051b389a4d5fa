import type { Plan } from "../plan/plan.ts";
import { MillraceError } from "../shared/errors.ts";
import { sleep } from "../shared/sleep.ts";
import { groupAttempts, noAttempts, type UnitAttempts } from "../store/attempts.ts";
import type { Done } from "../store/done.ts";
import { namesIn } from "../store/scan-shards.ts";
import { findCommitted } from "./find-committed.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { Protocol, ShardClaim } from "./protocol.ts";
import { runShard } from "./run-shard.ts";
import type { RunnerHooks, RunnerTraits } from "./runner-hooks.ts";
import { openShardContext, type ShardContext } from "./shard-context.ts";
import type { WorkOptions } from "./work-options.ts";

/** Everything a worker needs to take part in a run. */
export interface WorkerJob {
  readonly plan: Plan;
  readonly runner: RunnerHooks;
  readonly traits: RunnerTraits;
  readonly options: WorkOptions;
  readonly protocol: Protocol;
  readonly heartbeat: Heartbeat;
  /** Builds the env; called once, and only if there is something left to do. */
  readonly buildEnv: () => Promise<object>;
  readonly teardown: (env: object) => void | PromiseLike<void>;
  readonly isLeaving: () => boolean;
  /** A shard that was committed turned out to be damaged and is computed again. */
  readonly onDamage: (reason: string) => void;
}

// While others hold the last shards, a worker waits for them: one of the holders may die.
const firstWaitMs = 20;
const longestWaitMs = 1000;

/** What a worker knows when it ends: the shards it found committed or committed itself. */
export interface WorkerOutcome {
  readonly kind: "complete" | "left";
  readonly committed: ReadonlyMap<number, Done>;
}

/** Claims shards until none is left. The env is built once, and torn down whatever happens. */
export async function runWorker(job: WorkerJob): Promise<WorkerOutcome> {
  let shards = await findCommitted(job);
  if (shards.open.length === 0) return { kind: "complete", committed: shards.committed };
  const failed = [...shards.committed.values()].reduce((sum, { counts }) => sum + counts.failed, 0);
  const env = await job.buildEnv();
  const context = openShardContext(job, env, failed);
  try {
    let waitMs = firstWaitMs;
    for (;;) {
      const mine = await claimAndRun(shards.open, context);
      shards = await findCommitted(job, new Map([...shards.committed, ...mine]));
      const { committed } = shards;
      if (shards.open.length === 0) return { kind: "complete", committed };
      if (job.isLeaving()) return { kind: "left", committed };
      if (mine.size > 0) waitMs = firstWaitMs;
      else {
        await sleep(waitMs);
        waitMs = Math.min(longestWaitMs, waitMs * 2);
      }
    }
  } finally {
    // Not waited for: the shards are complete, and a power cut before the disk has them is noticed at the next run.
    void context.sync.finish();
    await job.teardown(env);
  }
}

/** One pass over the open shards: runs each that can be claimed. Answers those it committed. */
async function claimAndRun(open: readonly number[], context: ShardContext): Promise<ReadonlyMap<number, Done>> {
  const attempts = groupAttempts(namesIn(context.protocol.paths.attempts));
  const mine = new Map<number, Done>();
  for (const id of open) {
    if (context.isLeaving()) break;
    const seen = attempts.get(id) ?? noAttempts;
    const claim = (await context.protocol.claim(id, seen)) as ShardClaim | undefined;
    if (claim === undefined) continue;
    const outcome = await runShard(claim, restorable(seen), context);
    if (outcome.kind !== "committed") continue;
    await checkOwnCheck(id, context);
    mine.set(id, outcome.done);
  }
  return mine;
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
