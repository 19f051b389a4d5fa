import { sleep } from "../runtime/sleep.ts";
import { maxShardsOf } from "./calls/calls.ts";
import type { ShardContext } from "./shard/shard-context.ts";

/** Starts a shard. Resolves when the next one may be claimed. `run` calls `onAllBegun` when all its items have begun. */
export type StartShard = (run: (onAllBegun: () => void) => Promise<void>) => Promise<void>;

/** The shards that a worker works on at the same time. */
export interface OpenShards {
  /** The context for the shards: with it they leave when another shard has failed. */
  readonly context: ShardContext;
  readonly start: StartShard;
  /** Waits for `ms`, or until a shard has ended. */
  wait(ms: number): Promise<void>;
  /** Waits for `claim` and for all shards. Throws the first error. */
  finish<Result>(claim: () => Promise<Result>): Promise<Result>;
}

export function openShards(shared: ShardContext): OpenShards {
  const { worker, calls } = shared;
  const maxShards = maxShardsOf(worker.task);
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  const hasFailed = () => failure !== undefined;
  const context: ShardContext = {
    ...shared,
    worker: {
      ...worker,
      isLeaving: () => hasFailed() || worker.isLeaving(),
      isStopping: () => hasFailed() || worker.isStopping(),
    },
  };

  /** Resolves when another shard is useful: one of its calls could begin, or its items can be prefetched. */
  async function untilShardIsUseful(): Promise<void> {
    const { slots } = calls;
    const isAhead = worker.task.hooks.prefetch !== undefined && running.size < 2;
    if (!isAhead && !slots.isFree) {
      await new Promise<void>((resolve) => {
        const onFree = () => {
          slots.unwatch(onFree);
          resolve();
        };
        slots.watch(onFree);
      });
    }
    while (running.size >= maxShards) await Promise.race(running);
  }

  return {
    context,
    async start(run) {
      let onAllBegun = () => {};
      const allBegun = new Promise<void>((resolve) => {
        onAllBegun = resolve;
      });
      const ended: Promise<void> = run(onAllBegun)
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => running.delete(ended));
      running.add(ended);
      await Promise.race([allBegun, ended]);
      if (!hasFailed()) await untilShardIsUseful();
    },
    async wait(ms) {
      let timer: NodeJS.Timeout | undefined;
      const time = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, ms);
        // Not alone: a call that nothing can answer is found when nothing else keeps the process.
        if (running.size > 0) timer.unref();
      });
      await Promise.race([time, ...running]);
      clearTimeout(timer);
      // Lets the end of a shard finish first, so that the next scan finds it committed.
      await sleep(0);
    },
    async finish(claim) {
      const claimed = claim();
      await claimed.catch((error: unknown) => {
        failure ??= { error };
      });
      await Promise.all(running);
      if (failure !== undefined) throw failure.error;
      return claimed;
    },
  };
}
