import { isBatched } from "../../contract/work-options.ts";
import { nextPiece, type Piece, readItems } from "../../plan/item-list.ts";
import type { Shard } from "../../plan/plan.ts";
import { isThenable } from "../../runtime/is-thenable.ts";
import { sleepUnless } from "../../runtime/sleep.ts";
import { yieldToEventLoop } from "../../runtime/yield-to-event-loop.ts";
import { isBusy, isMistake, isRepeated, retryDelay } from "../calls/retry-delay.ts";
import { awaitHook } from "./call-forward.ts";
import { nextBatchLength } from "./cut-batches.ts";
import { fold, foldBatch, giveUp, refused } from "./fold-result.ts";
import type { ShardAttempt } from "./shard-attempt.ts";
import { ShardInterrupted } from "./shard-context.ts";

// A shard is run in pieces of a few milliseconds; `heartbeat.beat()` is called between two of them. It is called after
// each item where items are slow, or where their time is not known yet.
const pieceMs = 4;
const maxAtOnce = 1 << 14;
const slowAtOnce = 64;
const batchesReadAtOnce = 1024;
// How often a call that listens to its signal is asked whether the worker must leave.
const lookEveryMs = 50;

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

/** Calls `forward` for one item alone, with the same policy for errors. */
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
    // A worker that was asked to leave while it waited leaves after this item, not at the next tick.
    if (heartbeat.ticks[0] !== work.tick || context.worker.isLeaving()) await work.onTick();
  }
}

/** Where the hot loop stopped, and for what. */
interface Pause {
  readonly at: number;
  readonly waitFor: Promise<void> | undefined;
}

// The hot path: a synchronous function, because V8 compiles a loop with an await in it far worse. With synchronous
// hooks, an item costs its forward, its writer and a few comparisons.
function runWhileSync(work: ShardAttempt, { first, step, count }: Piece, from: number, isSlow: boolean): Pause {
  const { records, tick, guard, hooks, env, heartbeat } = work;
  const { context: call } = work.call;
  const { ticks } = heartbeat;
  let at = from;
  while (at < count) {
    const idx = first + at++ * step;
    if (guard !== undefined) {
      const verdict = guard.enter(work.position, 1);
      if (verdict !== undefined) return { at, waitFor: giveUp(work, idx, verdict) };
    }
    let result: unknown;
    try {
      result = hooks.forward(idx, env, call);
    } catch (error) {
      return { at, waitFor: failOne(work, idx, error) };
    }
    // Not isThenable: it sees promises too, while here results have one shape as a rule, so that this check stays
    // monomorphic.
    if (typeof (result as { then?: unknown } | null | undefined)?.then === "function")
      return { at, waitFor: foldLater(work, idx, result as PromiseLike<unknown>) };
    guard?.answer();
    if (records !== undefined && result !== null && result !== undefined) {
      // The runner has no hook between a result and its line.
      try {
        records.write(result);
      } catch (error) {
        return { at, waitFor: refused(work, idx, error) };
      }
      work.position++;
    } else {
      const folding = fold(work, idx, result);
      if (folding !== undefined) return { at, waitFor: folding };
    }
    // An unhandled rejection ends the worker here, while it is known which item caused it.
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
    return failOne(work, idx, error);
  }
  work.guard?.answer();
  const folding = fold(work, idx, result);
  if (folding !== undefined) await folding;
}

/** Waits for the answer of a call; one that listens to its signal is ended when the worker must leave. */
async function awaitAnswer(work: ShardAttempt, answer: unknown, indices: readonly number[]): Promise<unknown> {
  const { call, context } = work;
  const { task, isStopping } = context.worker;
  const { itemTimeoutMs: timeoutMs } = task.options;
  const timer = call.isListening ? setInterval(look, lookEveryMs).unref() : undefined;
  try {
    return await awaitHook(answer, { timeoutMs, indices, call });
  } catch (error) {
    if (call.interruption !== undefined) throw new ShardInterrupted(call.interruption);
    throw error;
  } finally {
    clearInterval(timer);
    call.begin(1);
  }

  function look(): void {
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
    // The batch at the end of the read indices may be longer than them: read again from here.
    if (at + length === indices.length && !isLast && at > 0) return;
    await runBatch(work, indices.slice(at, at + length));
    at += length;
    heartbeat.beat();
    if (heartbeat.ticks[0] !== work.tick) await work.onTick();
  }
}

/** One call of `forward` for several items; where it fails, its halves are tried until the bad item is alone. */
async function runBatch(work: ShardAttempt, indices: readonly number[]): Promise<void> {
  const { guard } = work;
  if (guard !== undefined) {
    if (indices.length > 1 && indices.some((_idx, i) => guard.mustRunAlone(work.position + i))) {
      for (const idx of indices) await runBatch(work, [idx]);
      return;
    }
    const verdict = guard.enter(work.position, indices.length);
    if (verdict !== undefined) return giveUp(work, indices[0]!, verdict);
  }
  let results: unknown;
  try {
    results = await callBatch(work, indices);
  } catch (error) {
    if (error instanceof ShardInterrupted || isMistake(error)) throw error;
    if (indices.length === 1) return failOne(work, indices[0]!, error);
    const middle = Math.ceil(indices.length / 2);
    await runBatch(work, indices.slice(0, middle));
    return runBatch(work, indices.slice(middle));
  }
  guard?.answer();
  await foldBatch(work, indices, results);
  if (guard?.isCareful) await yieldToEventLoop();
}

/** A batch is called again as a whole where the server has asked to wait: its items are not to blame. */
async function callBatch(work: ShardAttempt, indices: readonly number[]): Promise<unknown> {
  const { hooks, env, call, context } = work;
  const { options } = context.worker.task;
  for (let retry = 0; ; retry++) {
    call.begin(retry + 1);
    try {
      const answer = hooks.forward([...indices], env, call.context);
      return isThenable(answer) ? await awaitAnswer(work, answer, indices) : answer;
    } catch (error) {
      const isAgain = indices.length > 1 && isBusy(error) && isRepeated(error, retry, { hooks, policy: options });
      if (!isAgain) throw error;
      await pauseBefore(work, error, retry);
    }
  }
}

/** Waits before a further try; a worker that must leave does not wait. */
async function pauseBefore(work: ShardAttempt, error: unknown, retry: number): Promise<void> {
  const { task, isStopping } = work.context.worker;
  await sleepUnless(retryDelay(error, { retry, policy: task.options }), isStopping);
  const why = work.interruption(isStopping);
  if (why !== undefined) throw new ShardInterrupted(why);
}

async function failOne(work: ShardAttempt, idx: number, firstError: unknown): Promise<void> {
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
  return giveUp(work, idx, { error, tries: retry + 1 });
}
