import { MillraceError } from "../shared/errors.ts";
import { sleep } from "../shared/sleep.ts";
import { groupAttempts } from "../store/attempts.ts";
import { type Done, inspectShard } from "../store/done.ts";
import { storeError } from "../store/durable-files.ts";
import { makeFingerprint } from "../store/fingerprint.ts";
import { readManifest } from "../store/manifest.ts";
import { runPaths } from "../store/run-paths.ts";
import { namesIn } from "../store/scan-shards.ts";
import type { FailureRecord } from "../worker/failure-log.ts";
import { findCommitted } from "../worker/find-committed.ts";
import type { ShardClaim } from "../worker/protocol.ts";
import { retryShard } from "../worker/retry-shard.ts";
import { openShardContext } from "../worker/shard-context.ts";
import { finishRun, inSession } from "./drive-run.ts";
import { requireSameRun } from "./open-run.ts";
import { failuresOfShard } from "./read-failures.ts";
import type { RunRequest } from "./run-request.ts";
import { openSession, type Session } from "./session.ts";

const waitMs = 50;

/** Which failed items are run once more. Default: all. */
export interface RetryFilter {
  /** Only items whose error message matches. */
  readonly error?: RegExp | undefined;
}

/** Runs the failed items of a run alone, each folded into its shard, then merges. What fails again stays written down. */
export async function retryFailed<Merged>(request: RunRequest<Merged>, filter: RetryFilter): Promise<Merged> {
  const paths = runPaths(request.runDir);
  try {
    const manifest = readManifest(paths);
    if (manifest === undefined) {
      throw new MillraceError("RUN_NOT_FOUND", `There is no run in ${paths.root}.`, {
        hint: "Run it first; then retry what failed.",
      });
    }
    const fingerprint = makeFingerprint({ ...request.identity, items: manifest.plan.items });
    requireSameRun(paths, manifest, { fingerprint, acceptChange: request.acceptChange });
    const session = openSession(paths, manifest.plan, { ...request, work: { ...request.work, onError: "skip" } });
    return await inSession(session, request, async () => {
      await retryShards(session, filter);
      return finishRun(session, request);
    });
  } catch (error) {
    throw storeError(error);
  }
}

async function retryShards(session: Session, { error }: RetryFilter): Promise<void> {
  const { job } = session;
  const { paths } = job.protocol;
  const isWanted = (failure: FailureRecord) => error === undefined || failure.error.message.search(error) >= 0;
  const tasks = [...(await findCommitted(job)).committed.values()]
    .filter(({ counts }) => counts.failed > 0)
    .map((done) => ({ done, isWanted, failures: [...failuresOfShard(paths, done.shard)] }))
    .filter(({ failures }) => failures.some(isWanted));
  if (tasks.length === 0) return;
  const env = await job.buildEnv();
  try {
    // What failed before is what is tried again: it does not count once more.
    const context = openShardContext(
      { ...job, options: { ...job.options, maxFailures: Number.POSITIVE_INFINITY } },
      env,
      0,
    );
    for (const task of tasks) {
      const claim = await claimCommitted(session, task.done);
      if (claim !== undefined) await retryShard(claim, task, context);
    }
  } finally {
    await job.teardown(env);
  }
}

/** The right to replace a committed shard; undefined where someone else has replaced it meanwhile. */
async function claimCommitted({ protocol }: Session, { shard, attempt }: Done): Promise<ShardClaim | undefined> {
  const { paths } = protocol;
  for (;;) {
    const seen = groupAttempts(namesIn(paths.attempts)).get(shard);
    const claim = await protocol.claim(shard, seen, { replace: true, above: attempt });
    if (claim !== undefined) return claim as ShardClaim;
    // Someone is at it, or died at it and its lease has yet to run out.
    await sleep(waitMs);
    const sight = inspectShard(paths.shard(shard));
    if (sight.state === "committed" && sight.done.attempt !== attempt) return undefined;
  }
}
