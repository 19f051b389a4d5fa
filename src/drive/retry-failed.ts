import { chooseLauncher } from "../launchers/choose-launcher.ts";
import { MillraceError } from "../shared/errors.ts";
import { storeError } from "../store/durable-files.ts";
import { makeFingerprint } from "../store/fingerprint.ts";
import { forgetFailure } from "../store/last-failure.ts";
import { readManifest } from "../store/manifest.ts";
import { type RunPaths, runPaths } from "../store/run-paths.ts";
import { writeSpec } from "../store/run-spec.ts";
import { withdrawStop } from "../store/stop-order.ts";
import { findCommitted } from "../worker/find-committed.ts";
import { failuresOfShard, isWanted } from "../worker/retry-failed-shards.ts";
import { openSession, type Session } from "../worker/session.ts";
import type { RetryOrder } from "../worker/work-options.ts";
import { finishRun, inSession, membership } from "./drive-run.ts";
import { requireSameRun } from "./open-run.ts";
import type { RunRequest } from "./run-request.ts";

/** Which failed items are run once more. Default: all. */
export interface RetryFilter {
  /** Only items whose error message matches. */
  readonly error?: RegExp | undefined;
}

/** Runs the failed items of a run alone, each folded into its shard, then merges. What fails again stays written down. */
export async function retryFailed<Merged>(request: RunRequest<Merged>, filter: RetryFilter): Promise<Merged> {
  const launcher = await chooseLauncher(request.parallel);
  launcher.check(request.parallel);
  if (launcher.startsWorkers) request.requireSendable();
  const paths = runPaths(request.runDir);
  try {
    const manifest = readManifest(paths);
    if (manifest === undefined) {
      throw new MillraceError("RUN_NOT_FOUND", `There is no run in ${paths.root}.`, {
        hint: "Run it first; then retry what failed.",
      });
    }
    const fingerprint = makeFingerprint({ ...request.identity, items: manifest.plan.items });
    requireSameRun(paths, manifest, fingerprint, request);
    withdrawStop(paths);
    forgetFailure(paths);
    const session = openSession(paths, manifest.plan, membership(request, launcher));
    return await inSession(session, request, async () => {
      const order = await makeOrder(paths, session, filter);
      if (order.shards.length > 0) {
        const { runDir, parallel, stop } = request;
        writeSpec(paths, { ...request.spec, options: { ...request.work, retry: order } });
        const inlineJob = { ...session.job, options: { ...session.job.options, retry: order } };
        const pool = launcher.openPool?.({ runDir, parallel, early: 0 });
        try {
          await launcher.launch({ runDir, parallel, stop, inlineJob, pool, pending: order.shards.length });
        } finally {
          pool?.close();
          writeSpec(paths, request.spec);
        }
      }
      return finishRun(session, request);
    });
  } catch (error) {
    throw storeError(error);
  }
}

/** The shards with failed items that are wanted, and the attempt that made each: what is newer was retried already. */
async function makeOrder(paths: RunPaths, { job }: Session, { error }: RetryFilter): Promise<RetryOrder> {
  const pattern = error === undefined ? undefined : { source: error.source, flags: error.flags };
  const wanted = isWanted({ error: pattern });
  const shards = [...(await findCommitted(job)).committed.values()]
    .filter(({ counts }) => counts.failed > 0)
    .filter(({ shard }) => [...failuresOfShard(paths, shard)].some(wanted))
    .map(({ shard, attempt }) => [shard, attempt] as const);
  return { shards, error: pattern };
}
