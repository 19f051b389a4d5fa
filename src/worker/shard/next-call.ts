import { isBatched } from "../../contract/work-options.ts";
import { readItems } from "../../plan/item-list.ts";
import type { Shard } from "../../plan/plan.ts";
import type { KnownAnswers } from "./answers.ts";
import { nextBatchLength } from "./cut-batches.ts";
import type { ShardAttempt } from "./shard-attempt.ts";

// The maximum number of items in a batch by cost.
const maxBatchByCost = 1024;

/** The items of a shard from a position on. */
export function itemsAt(
  { context }: ShardAttempt,
  { from }: Shard,
  position: number,
  count: number,
): readonly number[] {
  return readItems(context.worker.run.plan.items, from + position, from + position + count);
}

/** The items of the next call: one item, or a batch. A batch ends before an item that has an answer or must run alone. */
export function nextCall(work: ShardAttempt, shard: Shard, position: number, known: KnownAnswers): readonly number[] {
  const { hooks, env, context, guard } = work;
  const { options } = context.worker.task;
  const left = shard.to - shard.from - position;
  const isAlone = (at: number) => guard?.mustRunAlone(at) ?? false;
  let count = 1;
  if (isBatched(options) && !isAlone(position)) {
    const max = Math.min(left, options.batchSize ?? maxBatchByCost);
    while (count < max && !known.has(position + count) && !isAlone(position + count)) count++;
  }
  const indices = itemsAt(work, shard, position, count);
  return isBatched(options)
    ? indices.slice(
        0,
        nextBatchLength(indices, 0, options, (idx) => hooks.itemCost?.(idx, env) ?? 1),
      )
    : indices;
}
