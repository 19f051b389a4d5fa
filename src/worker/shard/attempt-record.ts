import type { Claimable } from "../../run-folder/files/run-paths.ts";
import { type AttemptRecord, shortReason } from "../../run-folder/history/history.ts";
import { hostNameOf } from "../../run-folder/lease/lease.ts";
import type { ShardCounts } from "../../run-folder/shard/done.ts";
import type { Member } from "../worker-context.ts";

/** The items that an attempt ran itself, and the counts of its shard if it was committed. */
export interface AttemptCounts {
  readonly items: number;
  readonly failed: number;
  readonly reason?: string | undefined;
  readonly counts?: ShardCounts | undefined;
}

/** The history's record of an attempt that is still running. */
export interface OpenAttemptRecord {
  /** Writes the record. (The record of a lost attempt is written by the worker that takes the shard over.) */
  end(outcome: Exclude<AttemptRecord["outcome"], "lost">, counts?: AttemptCounts): void;
}

const nothing: AttemptCounts = { items: 0, failed: 0 };

/** Begins the record of an attempt; nothing is written before it ends. */
export function beginAttemptRecord(
  { target, attempt }: { readonly target: Claimable; readonly attempt: number },
  { history, lease }: Pick<Member, "history" | "lease">,
): OpenAttemptRecord {
  const began = Date.now();
  return {
    end(outcome, { items, failed, reason, counts } = nothing) {
      history.add({
        unit: target,
        attempt,
        worker: lease.worker,
        host: hostNameOf(lease),
        began,
        ended: Date.now(),
        outcome,
        items,
        failed,
        reason: reason === undefined ? undefined : shortReason(reason),
        counts,
      });
    },
  };
}
