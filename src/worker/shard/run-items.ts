import { isBatched } from "../../contract/work-options.ts";
import { nextPiece, type Piece, readItems } from "../../plan/item-list.ts";
import type { Shard } from "../../plan/plan.ts";
import { isThenable } from "../../runtime/is-thenable.ts";
import { sleepUnless } from "../../runtime/sleep.ts";
import { yieldToEventLoop } from "../../runtime/yield-to-event-loop.ts";
import { isBusy, isMistake, isRepeated, retryDelay } from "../calls/retry-delay.ts";
import { awaitHook } from "./call-forward.ts";
import { nextBatchLength } from "./cut-batches.ts";
import { failItem, fold, foldBatch, handleRefusedRecord } from "./fold-result.ts";
import type { ShardAttempt } from "./shard-attempt.ts";
import { ShardInterrupted } from "./shard-context.ts";

// A shard is run in pieces of a few milliseconds, with a call of `heartbeat.beat()` after each. If items are slow, or
// their time is not known yet, it is called after each item.
const pieceMs = 4;
const maxAtOnce = 1 << 14;
const slowAtOnce = 64;
const batchesReadAtOnce = 1024;
// How often the loop checks whether the worker must leave, while a call that uses its signal is open.
const checkEveryMs = 50;

/** Calls `forward` for every item of a shard that is not done yet, and folds each result into the shard's state. */
export async function runItems(work: ShardAttempt, shard: Shard): Promise<void> {
  const { heartbeat, context } = work;
  const { plan } = context.worker.run;
  const { options } = context.worker.task;
  const { pace } = context;
  const batched = isBatched(options);
  while (shard.from + work.position < shard.to) {
    const from = shard.from + work.position;
    if (batched) {
      const to = Math.min(shard.to, from + Math.max(batchesReadAtOnce, options.batchSize ?? 0));
      await runBatches(work, readItems(plan.items, from, to), to === shard.to);
    } else {
      const beganMs = performance.now();
      const isSlow = pace.readAtOnce === 1;
      const to = Math.min(shard.to, from + (isSlow ? slowAtOnce : pace.readAtOnce));
      await runSingles(work, nextPiece(plan.items, from, to), isSlow);
      const isQuick = performance.now() - beganMs < pieceMs;
      const atOnce = isQuick ? 2 * Math.max(pace.readAtOnce, to - from) : pace.readAtOnce / 2;
      pace.readAtOnce = Math.ceil(Math.min(maxAtOnce, atOnce));
    }
    heartbeat.beat();
  }
}

/** Runs one item alone, with the same handling of errors. */
export async function runOneItem(work: ShardAttempt, idx: number): Promise<void> {
  const batched = isBatched(work.context.worker.task.options);
  return batched ? runBatch(work, [idx]) : runSingles(work, { first: idx, step: 1, count: 1 }, true);
}

async function runSingles(work: ShardAttempt, piece: Piece, isSlow: boolean): Promise<void> {
  let at = 0;
  while (at < piece.count) {
    const pause = runWhileSync(work, piece, at, isSlow);
    at = pause.at;
    if (pause.waitFor === undefined) continue;
    await pause.waitFor;
    const { heartbeat, context } = work;
    heartbeat.beat();
    // If the worker was asked to leave in the meantime, it leaves after this item, not at the next tick.
    if (heartbeat.ticks[0] !== work.tick || context.worker.isLeaving()) await work.onTick();
  }
}

/** Where the hot loop stopped, and the promise to wait for, if any. */
interface Pause {
  readonly at: number;
  readonly waitFor: Promise<void> | undefined;
}

// The hot path. It is synchronous, because V8 optimises a loop with an await far less. With synchronous hooks, an item
// costs its forward, its writer and a few comparisons.
function runWhileSync(work: ShardAttempt, { first, step, count }: Piece, from: number, isSlow: boolean): Pause {
  const { records, tick, guard, hooks, env, heartbeat } = work;
  const { context: call } = work.call;
  const { ticks } = heartbeat;
  let at = from;
  while (at < count) {
    const idx = first + at++ * step;
    if (guard !== undefined) {
      const verdict = guard.enter(work.position, 1);
      if (verdict !== undefined) return { at, waitFor: failItem(work, idx, verdict) };
    }
    let result: unknown;
    try {
      result = hooks.forward(idx, env, call);
    } catch (error) {
      return { at, waitFor: retryItem(work, idx, error) };
    }
    // Not isThenable: other callers pass promises to it. Here results usually have one shape, so this check stays
    // monomorphic.
    if (typeof (result as { then?: unknown } | null | undefined)?.then === "function")
      return { at, waitFor: foldLater(work, idx, result as PromiseLike<unknown>) };
    guard?.answer();
    if (records !== undefined && result !== null && result !== undefined) {
      // The runner has no hook for results: they are written directly.
      try {
        records.write(result);
      } catch (error) {
        return { at, waitFor: handleRefusedRecord(work, idx, error) };
      }
      work.position++;
    } else {
      const folding = fold(work, idx, result);
      if (folding !== undefined) return { at, waitFor: folding };
    }
    // If the item left an unhandled rejection, it ends the worker here, while the item is still noted.
    if (guard?.isCareful) return { at, waitFor: yieldToEventLoop() };
    if (isSlow) heartbeat.beat();
    if (ticks[0] !== tick) return { at, waitFor: work.onTick() };
  }
  return { at, waitFor: undefined };
}

async function foldLater(work: ShardAttempt, idx: number, promise: PromiseLike<unknown>): Promise<void> {
  let result: unknown;
  try {
    result = await awaitAnswer(work, promise, [idx]);
  } catch (error) {
    return retryItem(work, idx, error);
  }
  work.guard?.answer();
  const folding = fold(work, idx, result);
  if (folding !== undefined) await folding;
}

/** Waits for the answer of a call. A call that uses its signal is aborted when the worker must leave. */
async function awaitAnswer(work: ShardAttempt, answer: unknown, indices: readonly number[]): Promise<unknown> {
  const { call, context } = work;
  const { task, isStopping } = context.worker;
  const { itemTimeoutMs: timeoutMs } = task.options;
  const timer = call.isListening ? setInterval(interruptIfLeaving, checkEveryMs).unref() : undefined;
  try {
    return await awaitHook(answer, { timeoutMs, indices, call });
  } catch (error) {
    if (call.interruption !== undefined) throw new ShardInterrupted(call.interruption);
    throw error;
  } finally {
    clearInterval(timer);
    call.begin(1);
  }

  function interruptIfLeaving(): void {
    const why = work.interruption(isStopping);
    if (why !== undefined) call.interrupt(why);
  }
}

async function runBatches(work: ShardAttempt, indices: readonly number[], isLast: boolean): Promise<void> {
  const { hooks, env, heartbeat, context } = work;
  const { options } = context.worker.task;
  const costOf = (idx: number) => hooks.itemCost?.(idx, env) ?? 1;
  let at = 0;
  while (at < indices.length) {
    const length = nextBatchLength(indices, at, options, costOf);
    // The batch might continue after the indices that were read: read again from here.
    if (at + length === indices.length && !isLast && at > 0) return;
    await runBatch(work, indices.slice(at, at + length));
    at += length;
    heartbeat.beat();
    if (heartbeat.ticks[0] !== work.tick) await work.onTick();
  }
}

/** Calls `forward` for several items. If the call fails, its halves are tried until the bad item is alone. */
async function runBatch(work: ShardAttempt, indices: readonly number[]): Promise<void> {
  const { guard } = work;
  if (guard !== undefined) {
    if (indices.length > 1 && indices.some((_idx, i) => guard.mustRunAlone(work.position + i))) {
      for (const idx of indices) await runBatch(work, [idx]);
      return;
    }
    const verdict = guard.enter(work.position, indices.length);
    if (verdict !== undefined) return failItem(work, indices[0]!, verdict);
  }
  let results: unknown;
  try {
    results = await callBatch(work, indices);
  } catch (error) {
    if (error instanceof ShardInterrupted || isMistake(error)) throw error;
    if (indices.length === 1) return retryItem(work, indices[0]!, error);
    const middle = Math.ceil(indices.length / 2);
    await runBatch(work, indices.slice(0, middle));
    return runBatch(work, indices.slice(middle));
  }
  guard?.answer();
  await foldBatch(work, indices, results);
  if (guard?.isCareful) await yieldToEventLoop();
}

/**
 * Calls `forward` for a batch. If the server has asked to wait, the whole batch is called again: its items are not the
 * cause.
 */
async function callBatch(work: ShardAttempt, indices: readonly number[]): Promise<unknown> {
  const { hooks, env, call, context } = work;
  const { options } = context.worker.task;
  for (let retry = 0; ; retry++) {
    call.begin(retry + 1);
    try {
      const answer = hooks.forward([...indices], env, call.context);
      return isThenable(answer) ? await awaitAnswer(work, answer, indices) : answer;
    } catch (error) {
      const mayRepeat = indices.length > 1 && isBusy(error) && isRepeated(error, retry, { hooks, policy: options });
      if (!mayRepeat) throw error;
      await pauseBefore(work, error, retry);
    }
  }
}

/** Waits before the next try. Throws if the worker must leave. */
async function pauseBefore(work: ShardAttempt, error: unknown, retry: number): Promise<void> {
  const { task, isStopping } = work.context.worker;
  await sleepUnless(retryDelay(error, { retry, policy: task.options }), isStopping);
  const why = work.interruption(isStopping);
  if (why !== undefined) throw new ShardInterrupted(why);
}

async function retryItem(work: ShardAttempt, idx: number, firstError: unknown): Promise<void> {
  const { hooks, env, call, guard, context } = work;
  const { options } = context.worker.task;
  const batched = isBatched(options);
  let error = firstError;
  let retry = 0;
  for (; ; retry++) {
    if (error instanceof ShardInterrupted || isMistake(error)) throw error;
    if (!isRepeated(error, retry, { hooks, policy: options })) break;
    guard?.leave();
    await pauseBefore(work, error, retry);
    let result: unknown;
    guard?.enter(work.position, 1);
    call.begin(retry + 2);
    try {
      const answer = hooks.forward(batched ? [idx] : idx, env, call.context);
      result = isThenable(answer) ? await awaitAnswer(work, answer, [idx]) : answer;
    } catch (again) {
      error = again;
      continue;
    }
    guard?.answer();
    return batched ? foldBatch(work, [idx], result) : fold(work, idx, result);
  }
  return failItem(work, idx, { error, tries: retry + 1 });
}
