import type { Shard } from "../../plan/plan.ts";
import { readAnswers } from "../../run-folder/shard/answer-log.ts";
import { knownAnswers, openAnswerKeeper } from "./answers.ts";
import type { ShardAttempt } from "./shard-attempt.ts";
import { type InFlightOptions, ShardLoop } from "./shard-loop.ts";

// How often the loop checks whether to stop while it waits for answers.
const checkEveryMs = 25;

/**
 * Runs the items of a shard with several open calls of `forward`. Results are folded in item order. `older`: the
 * folders of earlier attempts, newest first; items with an answer there are not called again.
 */
export async function runInFlight(
  work: ShardAttempt,
  shard: Shard,
  { older, onAllBegun }: Pick<InFlightOptions, "onAllBegun"> & { readonly older: readonly string[] },
): Promise<void> {
  const { notices, calls, worker } = work.context;
  work.answers = openAnswerKeeper(work.state.shardDir, {
    notices,
    maxBytes: calls.waiting.maxBytes,
    keepsFailures: worker.task.options.onError === "skip",
  });
  const loop = new ShardLoop(work, shard, { known: knownAnswers(readAnswers(older)), onAllBegun });
  const timer = setInterval(() => loop.wake(), checkEveryMs).unref();
  const onFree = () => loop.wake();
  calls.slots.watch(onFree);
  try {
    await loop.run();
  } finally {
    clearInterval(timer);
    calls.slots.unwatch(onFree);
    loop.release();
  }
}
