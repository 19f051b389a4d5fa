import type { MergeShards } from "../contract/task.ts";
import { MillraceError, messageOf } from "../errors/errors.ts";
import { refreshFolder } from "../run-folder/files/refresh-folder.ts";
import { removeFileInRun } from "../run-folder/files/run-files.ts";
import type { RunPaths } from "../run-folder/files/run-paths.ts";
import { isStoreTrouble, storeError } from "../run-folder/files/store-trouble.ts";
import { groupAttempts } from "../run-folder/lease/attempts.ts";
import type { Claim } from "../run-folder/lease/claim.ts";
import { mergeKey, readMerged, writeMerged } from "../run-folder/run/merged.ts";
import { publishRecords } from "../run-folder/run/publish-records.ts";
import { namesIn } from "../run-folder/run/scan-shards.ts";
import type { KnownShard } from "../run-folder/shard/known-shard.ts";
import { isThenable } from "../runtime/is-thenable.ts";
import { sleep } from "../runtime/sleep.ts";
import { untilIdle } from "../runtime/until-idle.ts";
import { cutText } from "../text/cut-text.ts";
import type { Session } from "../worker/session.ts";
import { beginAttemptRecord } from "../worker/shard/attempt-record.ts";
import { cleanUp } from "./clean-up.ts";

const waitMs = 50;

/** Merges the committed shards. A lease guards the merge as it guards a shard: one process merges at a time. */
export async function mergeOnce<Merged>(
  session: Session,
  committed: ReadonlyMap<number, KnownShard>,
  merge: MergeShards<Merged>,
): Promise<Merged> {
  const { run, member, task } = session;
  const { protocol, heartbeat, lease } = member;
  const { paths } = run;
  const claim = await claimMerge(session);
  const record = beginAttemptRecord(claim, member);
  const hold = heartbeat.hold(claim);
  try {
    const shards = [...committed.values()].sort((a, b) => a.shard - b.shard);
    const result = await guardMerge(() =>
      merge(
        shards.map(({ shard }) => paths.shard(shard)),
        { runDir: paths.root, committed },
      ),
    );
    // Shards whose worker was killed before it could publish them, and shards with retried items.
    for (const { shard } of shards) publishRecords(paths.shard(shard), shard, task.options.resultDir);
    noteMerge(paths, mergeKey(shards));
    cleanUp(paths, lease);
    record.end("committed");
    return result;
  } catch (error) {
    record.end("failed", { items: 0, failed: 0, reason: cutText(messageOf(error)) });
    throw error;
  } finally {
    hold.release();
    await protocol.drop(claim);
  }
}

/** Records that these shards were merged. Files of an earlier merge of other shards are outdated. */
function noteMerge(paths: RunPaths, key: string): void {
  const before = readMerged(paths);
  if (before?.key === key) return;
  for (const { name } of before?.files ?? []) removeFileInRun(paths.root, paths.output(name));
  writeMerged(paths, { version: 1, key, files: [] });
}

async function claimMerge({ run: { paths }, member: { protocol }, isLeaving }: Session): Promise<Claim> {
  for (;;) {
    if (isLeaving()) {
      throw new MillraceError("RUN_STOPPED", `The run in ${paths.root} was stopped before its merge.`, {
        hint: "All shards are committed. Run again: only the merge is left.",
      });
    }
    const seen = groupAttempts(namesIn(paths.attempts)).get("merge");
    const claim = await protocol.claim("merge", seen);
    if (claim !== undefined) return claim;
    await sleep(waitMs);
    // The merge of another driver may have ended.
    refreshFolder(paths.root, paths.attempts);
  }
}

function neverMerged(): MillraceError {
  return new MillraceError("MERGE_FAILED", "merge waits for a promise that can never settle.", {
    hint: "All shards are committed. Find the promise that is never resolved, then run again.",
  });
}

// A merge may be repeated, as by the next start: it reads what is committed and replaces its files whole.
const maxMerges = 8;
const firstPauseMs = 100;

async function guardMerge<Merged>(merge: () => Merged | PromiseLike<Merged>, tries = 1): Promise<Merged> {
  try {
    const merged = merge();
    return isThenable(merged) ? ((await untilIdle(merged, neverMerged)) as Merged) : merged;
  } catch (cause) {
    if (isStoreTrouble(cause)) {
      if (tries >= maxMerges) throw storeError(cause);
      await sleep(firstPauseMs * 2 ** (tries - 1) * (0.5 + Math.random()));
      return guardMerge(merge, tries + 1);
    }
    if (cause instanceof MillraceError) throw cause;
    throw new MillraceError("MERGE_FAILED", `merge failed: ${messageOf(cause)}`, {
      cause,
      hint: "All shards are committed. Correct merge and run again: nothing is computed again.",
    });
  }
}
