import type { Answer } from "../calls/answer.ts";
import { type OpenCall, openCall } from "../calls/open-call.ts";
import { openPrefetcher } from "../calls/prefetcher.ts";
import { tryCall } from "../calls/try-call.ts";
import { foldAnswer } from "./fold-result.ts";
import type { ShardAttempt } from "./shard-attempt.ts";

const checkEveryMs = 25;

/** An item that is run alone, wherever it is in its shard. */
interface SingleItem {
  readonly item: number;
  readonly position: number;
}

/** Open calls for some items of a shard. */
export interface CallsAhead {
  /** Waits for the answer for one item and folds it. Call it for each item, in order. */
  fold(idx: number): Promise<void>;
  /** Ends the calls that are still open, and waits for them. */
  close(): Promise<void>;
}

/** Starts the calls for some items of a shard, as many at a time as the worker may have open. */
export function callAhead(work: ShardAttempt, items: readonly SingleItem[]): CallsAhead {
  const { guard, context } = work;
  const isSuspect = ({ position }: SingleItem) =>
    guard?.verdict(position) !== undefined || guard?.mustRunAlone(position) === true;
  // Workers have ended at some of these items: they run one after another, so that the right item is blamed.
  const isOneByOne = items.some(isSuspect);
  const calls = items.map(() => openCall(work.attempt));
  const { isStopping } = context.worker;
  const timer = setInterval(() => {
    const why = work.interruption(isStopping);
    if (why !== undefined) for (const call of calls) call.interrupt(why);
  }, checkEveryMs).unref();
  if (!isOneByOne) noteAll(work, items);
  const answers = new Map<number, Promise<Answer[]>>();
  let before: Promise<unknown> = Promise.resolve();
  for (const [i, one] of items.entries()) {
    const begin = isOneByOne ? before : Promise.resolve();
    const answer = begin.then(() => callItem(work, one, { call: calls[i]!, isAlone: isOneByOne }));
    // The first error is thrown where the answer is folded.
    before = answer.catch(() => {});
    answers.set(one.item, answer);
  }
  return {
    async fold(idx) {
      for (const answer of await answers.get(idx)!) await foldAnswer(work, [idx], answer);
    },
    async close() {
      clearInterval(timer);
      for (const call of calls) call.interrupt("leaving");
      await Promise.allSettled(answers.values());
    },
  };
}

async function callItem(
  work: ShardAttempt,
  { item, position }: SingleItem,
  { call, isAlone }: { readonly call: OpenCall; readonly isAlone: boolean },
): Promise<Answer[]> {
  const { guard, context, hooks, env } = work;
  const { slots, prefetched } = context.calls;
  await slots.take();
  try {
    const verdict = isAlone ? guard?.enter(position, 1) : undefined;
    if (verdict !== undefined) return [{ kind: "failed", count: 1, ...verdict }];
    const prefetcher = hooks.prefetch && openPrefetcher(hooks.prefetch, { env, room: prefetched });
    return await tryCall(work, { position, indices: [item] }, { call, prefetcher });
  } finally {
    slots.release();
  }
}

/** Notes that any of these items may be running. */
function noteAll({ guard }: ShardAttempt, items: readonly SingleItem[]): void {
  const positions = items.map(({ position }) => position);
  if (positions.length === 0) return;
  const first = Math.min(...positions);
  guard?.enterSpan(first, Math.max(...positions) - first + 1, 1);
}
