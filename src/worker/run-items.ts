import { nextPiece, type Piece, readItems } from "../plan/item-list.ts";
import type { Shard } from "../plan/plan.ts";
import { isMillraceError } from "../shared/errors.ts";
import { sleep } from "../shared/sleep.ts";
import { yieldToEventLoop } from "../shared/yield-to-event-loop.ts";
import { awaitForward, settle } from "./call-forward.ts";
import { nextBatchLength } from "./cut-batches.ts";
import { fold, foldBatch, giveUp, refused } from "./fold-result.ts";
import type { ShardWork } from "./shard-work.ts";
import { isBatched } from "./work-options.ts";

// A shard is run in pieces, and between two of them the heartbeat has its turn: as many items as take some milliseconds.
// Of slow items, and of the first ones, of which it is not known how long they take, it has its turn after each.
const pieceMs = 4;
const mostAtOnce = 1 << 14;
const slowAtOnce = 64;
const batchesReadAtOnce = 1024;
const firstRetryMs = 50;
const longestRetryMs = 5000;

/** Calls `forward` for every item of a shard that is not done yet, and folds each result into the shard's state. */
export async function runItems(work: ShardWork, shard: Shard): Promise<void> {
  const { plan, options, heartbeat, pace } = work.context;
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
      pace.readAtOnce = Math.ceil(Math.min(mostAtOnce, atOnce));
    }
    heartbeat.beat();
  }
}

/** Calls `forward` for one item alone, with the same policy for errors. */
export async function runOneItem(work: ShardWork, idx: number): Promise<void> {
  const { options } = work.context;
  const batched = isBatched(options);
  return batched ? runBatch(work, [idx]) : runSingles(work, { first: idx, step: 1, count: 1 }, true);
}

async function runSingles(work: ShardWork, piece: Piece, isSlow: boolean): Promise<void> {
  let at = 0;
  while (at < piece.count) {
    const pause = runWhileSync(work, piece, at, isSlow);
    at = pause.at;
    if (pause.waitFor === undefined) continue;
    await pause.waitFor;
    const { heartbeat, isLeaving } = work.context;
    heartbeat.beat();
    // Whoever was asked to leave while it waited does so after this item, not at the next tick.
    if (heartbeat.ticks[0] !== work.tick || isLeaving()) await work.onTick();
  }
}

/** Where the hot loop stopped, and for what. */
interface Pause {
  readonly at: number;
  readonly waitFor: Promise<void> | undefined;
}

// The hot path: a plain function, because a loop with an await in it is compiled far worse. With hooks that answer at
// once, an item costs its forward, its writer and a few comparisons.
function runWhileSync(work: ShardWork, { first, step, count }: Piece, from: number, isSlow: boolean): Pause {
  const { records, tick, guard } = work;
  const { runner, env, heartbeat } = work.context;
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
      result = runner.forward(idx, env);
    } catch (error) {
      return { at, waitFor: failOne(work, idx, error) };
    }
    // Not isThenable, which sees promises too: here it is records of one shape, as a rule, and that is compiled better.
    if (typeof (result as { then?: unknown } | null | undefined)?.then === "function")
      return { at, waitFor: foldLater(work, idx, result as PromiseLike<unknown>) };
    guard?.answer();
    if (records !== undefined && result !== null && result !== undefined) {
      // No hook of the runner's own stands between a result and its line.
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
    // A rejection that nobody waits for ends the worker here, while it is known whose it is.
    if (guard?.isCareful) return { at, waitFor: yieldToEventLoop() };
    if (isSlow) heartbeat.beat();
    if (ticks[0] !== tick) return { at, waitFor: work.onTick() };
  }
  return { at, waitFor: undefined };
}

async function foldLater(work: ShardWork, idx: number, promise: PromiseLike<unknown>): Promise<void> {
  const timeoutMs = work.context.options.itemTimeoutMs;
  let result: unknown;
  try {
    result = await (timeoutMs === undefined ? promise : awaitForward(promise, { timeoutMs, indices: [idx] }));
  } catch (error) {
    return failOne(work, idx, error);
  }
  work.guard?.answer();
  const folding = fold(work, idx, result);
  if (folding !== undefined) await folding;
}

async function runBatches(work: ShardWork, indices: readonly number[], isLast: boolean): Promise<void> {
  const { runner, env, heartbeat, options } = work.context;
  const costOf = (idx: number) => runner.itemCost?.(idx, env) ?? 1;
  let at = 0;
  while (at < indices.length) {
    const length = nextBatchLength(indices, at, options, costOf);
    // A batch at the end of what was read may go on behind it: read again from here.
    if (at + length === indices.length && !isLast && at > 0) return;
    await runBatch(work, indices.slice(at, at + length));
    at += length;
    heartbeat.beat();
    if (heartbeat.ticks[0] !== work.tick) await work.onTick();
  }
}

/** One call of `forward` for several items; where it fails, its halves are tried until the bad item stands alone. */
async function runBatch(work: ShardWork, indices: readonly number[]): Promise<void> {
  const { guard } = work;
  if (guard !== undefined) {
    if (indices.length > 1 && indices.some((_idx, i) => guard.mustStandAlone(work.position + i))) {
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
    if (indices.length === 1) return failOne(work, indices[0]!, error);
    const middle = Math.ceil(indices.length / 2);
    await runBatch(work, indices.slice(0, middle));
    return runBatch(work, indices.slice(middle));
  }
  guard?.answer();
  await foldBatch(work, indices, results);
  if (guard?.isCareful) await yieldToEventLoop();
}

async function callBatch(work: ShardWork, indices: readonly number[]): Promise<unknown> {
  const { runner, env, options } = work.context;
  return settle(runner.forward([...indices], env), { timeoutMs: options.itemTimeoutMs, indices });
}

async function failOne(work: ShardWork, idx: number, firstError: unknown): Promise<void> {
  const { runner, env, options } = work.context;
  // The mistake is the runner's: every item would have it.
  if (isMillraceError(firstError) && firstError.code === "BAD_RUNNER") throw firstError;
  const batched = isBatched(options);
  let error = firstError;
  for (let retry = 0; retry < options.retries; retry++) {
    work.guard?.leave();
    await sleep(Math.min(longestRetryMs, firstRetryMs * 2 ** retry));
    let result: unknown;
    work.guard?.enter(work.position, 1);
    try {
      const answer = runner.forward(batched ? [idx] : idx, env);
      result = await settle(answer, { timeoutMs: options.itemTimeoutMs, indices: [idx] });
    } catch (again) {
      error = again;
      continue;
    }
    work.guard?.answer();
    return batched ? foldBatch(work, [idx], result) : fold(work, idx, result);
  }
  return giveUp(work, idx, { error, tries: options.retries + 1 });
}
