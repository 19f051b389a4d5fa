import { rmSync } from "node:fs";
import { MillraceError, messageOf } from "../shared/errors.ts";
import { sleep } from "../shared/sleep.ts";
import { groupAttempts } from "../store/attempts.ts";
import type { Claim } from "../store/claim-unit.ts";
import type { KnownShard } from "../store/known-shard.ts";
import { mergeKey, readMerged, writeMerged } from "../store/merged.ts";
import { publishRecords } from "../store/publish-records.ts";
import type { RunPaths } from "../store/run-paths.ts";
import { namesIn } from "../store/scan-shards.ts";
import { openAccount } from "../worker/attempt-account.ts";
import type { Session } from "../worker/session.ts";
import { cleanUp } from "./clean-up.ts";
import type { MergeShards } from "./run-request.ts";

const waitMs = 50;

/** Merges the committed shards while nobody else does: a lease guards the merge as it guards a shard. */
export async function mergeOnce<Merged>(
  session: Session,
  committed: ReadonlyMap<number, KnownShard>,
  merge: MergeShards<Merged>,
): Promise<Merged> {
  const { protocol, heartbeat } = session;
  const { paths, lease } = protocol;
  const claim = await claimMerge(session);
  const account = openAccount(claim, protocol);
  heartbeat.hold(claim);
  try {
    const shards = [...committed.values()].sort((a, b) => a.shard - b.shard);
    const result = await guardMerge(() =>
      merge(
        shards.map(({ shard }) => paths.shard(shard)),
        committed,
      ),
    );
    // Those whose worker was killed before it came to that, and those of retried items.
    for (const { shard } of shards) publishRecords(paths.shard(shard), shard, session.job.options.resultDir);
    noteMerge(paths, mergeKey(shards));
    cleanUp(paths, lease);
    account.end("committed");
    return result;
  } catch (error) {
    account.end("failed", { items: 0, failed: 0, reason: messageOf(error) });
    throw error;
  } finally {
    heartbeat.letGo();
    await protocol.drop(claim);
  }
}

/** Notes that these shards were merged. Files that an earlier merge made of others are out of date. */
function noteMerge(paths: RunPaths, key: string): void {
  const before = readMerged(paths);
  if (before?.key === key) return;
  for (const { name } of before?.files ?? []) rmSync(paths.output(name), { force: true });
  writeMerged(paths, { version: 1, key, files: [] });
}

async function claimMerge({ protocol, job }: Session): Promise<Claim> {
  for (;;) {
    if (job.isLeaving()) {
      throw new MillraceError("RUN_STOPPED", `The run in ${protocol.paths.root} was stopped before its merge.`, {
        hint: "All shards are committed. Run again: only the merge is left.",
      });
    }
    const seen = groupAttempts(namesIn(protocol.paths.attempts)).get("merge");
    const claim = await protocol.claim("merge", seen);
    if (claim !== undefined) return claim;
    await sleep(waitMs);
  }
}

async function guardMerge<Merged>(merge: () => Merged | PromiseLike<Merged>): Promise<Merged> {
  try {
    return await merge();
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause;
    throw new MillraceError("MERGE_FAILED", `merge failed: ${messageOf(cause)}`, {
      cause,
      hint: "All shards are committed. Correct merge and run again: nothing is computed anew.",
    });
  }
}
