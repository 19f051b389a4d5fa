import type { RetryFilter } from "../contract/task.ts";
import type { RetryOrder } from "../contract/work-options.ts";
import { MillraceError } from "../errors/errors.ts";
import { launchWorkers } from "../launchers/launch-workers.ts";
import { type RunPaths, runPaths } from "../run-folder/files/run-paths.ts";
import { storeError } from "../run-folder/files/store-trouble.ts";
import { removeFailure } from "../run-folder/run/last-failure.ts";
import { readManifest } from "../run-folder/run/manifest.ts";
import { writeSpec } from "../run-folder/run/run-spec.ts";
import { withdrawStop } from "../run-folder/run/stop-order.ts";
import { findCommitted } from "../worker/find-committed.ts";
import { openSession, type Session } from "../worker/session.ts";
import { failuresOfShard, isWanted } from "../worker/shard/retry-failed-shards.ts";
import { checkedLauncher, finishRun, inSession, sessionOptions } from "./drive-run.ts";
import { policyOf, requireSameRun } from "./open-run.ts";
import { type RunRequest, specOf } from "./run-request.ts";

/** Runs only the failed items of a run, puts their results into their shards, then merges. Items that fail again stay in `failures.jsonl`. */
export async function retryFailed<Merged>(request: RunRequest<Merged>, filter: RetryFilter): Promise<Merged> {
  const { runDir, parallel, stop, work } = request;
  const launcher = await checkedLauncher(request);
  const paths = runPaths(runDir);
  try {
    const manifest = readManifest(paths);
    if (manifest === undefined) {
      throw new MillraceError("RUN_NOT_FOUND", `There is no run in ${paths.root}.`, {
        hint: "Run it first; then retry what failed.",
      });
    }
    requireSameRun(paths, manifest, { ...request.identity.parts, items: manifest.plan.items }, policyOf(request));
    withdrawStop(paths);
    removeFailure(paths);
    const session = openSession({ paths, plan: manifest.plan }, work, sessionOptions(stop, launcher));
    return await inSession(session, request, async () => {
      const order = await makeOrder(paths, session, filter);
      if (order.shards.length > 0) {
        const spec = specOf(request);
        const options = { ...work.options, retry: order };
        writeSpec(paths, { ...spec, options });
        const worker = { ...session, task: { ...work, options } };
        try {
          await launchWorkers(launcher, { runDir, parallel, stop, worker, pending: order.shards.length });
        } finally {
          writeSpec(paths, spec);
        }
      }
      return finishRun(session, request.task.merge);
    });
  } catch (error) {
    throw storeError(error);
  }
}

/** The shards with failed items that are wanted, and the attempt that made each: what is newer was retried already. */
async function makeOrder(paths: RunPaths, session: Session, { error }: RetryFilter): Promise<RetryOrder> {
  const pattern = error === undefined ? undefined : { source: error.source, flags: error.flags };
  const wanted = isWanted({ error: pattern });
  const shards = [...(await findCommitted(session)).committed.values()]
    .filter(({ counts }) => counts.failed > 0)
    .filter(({ shard }) => [...failuresOfShard(paths, shard)].some(wanted))
    .map(({ shard, attempt }) => [shard, attempt] as const);
  return { shards, error: pattern };
}
