import type { ShardCounts } from "../store/done.ts";
import { type AttemptRecord, type History, shortReason } from "../store/history.ts";
import { hostNameOf, type Lease } from "../store/lease.ts";
import type { Unit } from "../store/run-paths.ts";

/** What an attempt did itself, and what its shard holds where it was committed. */
export interface AttemptDeeds {
  readonly items: number;
  readonly failed: number;
  readonly reason?: string | undefined;
  readonly counts?: ShardCounts | undefined;
}

/** One attempt as the history will tell of it. */
export interface AttemptAccount {
  /** It is over. An attempt that was lost is told by whoever took it. */
  end(outcome: Exclude<AttemptRecord["outcome"], "lost">, deeds?: AttemptDeeds): void;
}

const nothing: AttemptDeeds = { items: 0, failed: 0 };

/** Begins the account of an attempt; nothing is written before it ends. */
export function openAccount(
  { unit, epoch }: { readonly unit: Unit; readonly epoch: number },
  { history, lease }: { readonly history: History; readonly lease: Lease },
): AttemptAccount {
  const began = Date.now();
  return {
    end(outcome, { items, failed, reason, counts } = nothing) {
      history.add({
        unit,
        attempt: epoch,
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
