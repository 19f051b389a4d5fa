import type { Shard } from "../../plan/plan.ts";
import { openAnswerKeeper } from "./answers.ts";
import type { ShardAttempt } from "./shard-attempt.ts";
import { type InFlightOptions, ShardLoop } from "./shard-loop.ts";

// How often the loop looks whether to stop while it waits for answers.
const lookEveryMs = 25;

/** Runs the items of a shard with several calls of `forward` open. Results are folded in item order. */
export async function runInFlight(work: ShardAttempt, shard: Shard, options: InFlightOptions): Promise<void> {
  const { notices, calls, worker } = work.context;
  work.answers = openAnswerKeeper(work.state.shardDir, {
    notices,
    maxBytes: calls.waiting.maxBytes,
    keepsFailures: worker.task.options.onError === "skip",
  });
  const loop = new ShardLoop(work, shard, options);
  const timer = setInterval(() => loop.wake(), lookEveryMs);
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
