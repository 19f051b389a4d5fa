import { nextPiece, type Piece, readItems } from "../plan/item-list.ts";
import type { Shard } from "../plan/plan.ts";
import { MillraceError, messageOf } from "../shared/errors.ts";
import { isThenable } from "../shared/is-thenable.ts";
import { sleep } from "../shared/sleep.ts";
import { describeKind } from "../shared/state-json.ts";
import { awaitForward, settle } from "./call-forward.ts";
import { nextBatchLength } from "./cut-batches.ts";
import { describeError, outputOffsets } from "./failure-log.ts";
import type { ShardWork } from "./shard-work.ts";
import { isBatched } from "./work-options.ts";

// A shard is run in pieces, and between two of them the heartbeat has its turn: few items at first, when it is not known
// how long they take, then as many as take some milliseconds.
const pieceMs = 4;
const mostAtOnce = 1 << 14;
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
      await runSingles(work, nextPiece(plan.items, from, Math.min(shard.to, from + pace.readAtOnce)));
      const isQuick = performance.now() - beganMs < pieceMs;
      pace.readAtOnce = isQuick ? Math.min(mostAtOnce, pace.readAtOnce * 2) : Math.ceil(pace.readAtOnce / 2);
    }
    heartbeat.beat();
  }
}

/** Calls `forward` for one item alone, with the same policy for errors. */
export async function runOneItem(work: ShardWork, idx: number): Promise<void> {
  const { options } = work.context;
  const batched = isBatched(options);
  return batched ? runBatch(work, [idx]) : runSingles(work, { first: idx, step: 1, count: 1 });
}

async function runSingles(work: ShardWork, piece: Piece): Promise<void> {
  let at = 0;
  while (at < piece.count) {
    const pause = runWhileSync(work, piece, at);
    at = pause.at;
    if (pause.waitFor === undefined) continue;
    await pause.waitFor;
    work.context.heartbeat.beat();
  }
}

/** Where the hot loop stopped, and for what. */
interface Pause {
  readonly at: number;
  readonly waitFor: Promise<void> | undefined;
}

// The hot path: a plain function, because a loop with an await in it is compiled far worse. With hooks that answer at
// once, an item costs its forward, its writer and a few comparisons.
function runWhileSync(work: ShardWork, { first, step, count }: Piece, from: number): Pause {
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
    if (isThenable(result)) return { at, waitFor: foldLater(work, idx, result) };
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
  const folding = fold(work, idx, result);
  if (folding !== undefined) await folding;
  if (work.context.heartbeat.ticks[0] !== work.tick) await work.onTick();
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
  await foldBatch(work, indices, results);
}

async function callBatch(work: ShardWork, indices: readonly number[]): Promise<unknown> {
  const { runner, env, options } = work.context;
  return settle(runner.forward([...indices], env), { timeoutMs: options.itemTimeoutMs, indices });
}

async function foldBatch(work: ShardWork, indices: readonly number[], results: unknown): Promise<void> {
  const { runner, traits } = work.context;
  if (traits.recordPerItem) {
    if (!Array.isArray(results) || results.length !== indices.length)
      throw wrongBatchResult(runner.name, indices, results);
    for (const [i, idx] of indices.entries()) await fold(work, idx, results[i]);
  } else if (results === undefined) {
    throw wrongBatchResult(runner.name, indices, results);
  } else if (results === null) {
    work.dropped += indices.length;
    work.position += indices.length;
  } else {
    // A runner with a writeRecord of its own takes what forward returned for the batch as it is.
    const folding = reduce(work, indices[0]!, results);
    if (folding !== undefined) await folding;
    work.position += indices.length;
  }
}

/** Takes the result of one item in. Returns a promise only where a hook or the error policy needs one. */
function fold(work: ShardWork, idx: number, result: unknown): Promise<void> | undefined {
  if (result === null || result === undefined) {
    work.dropped++;
    work.position++;
    return undefined;
  }
  let folding: Promise<void> | undefined;
  try {
    folding = reduce(work, idx, result);
  } catch (error) {
    return refused(work, idx, error);
  }
  if (folding !== undefined) return finishFold(work, idx, folding);
  work.position++;
  return undefined;
}

async function finishFold(work: ShardWork, idx: number, folding: Promise<void>): Promise<void> {
  try {
    await folding;
  } catch (error) {
    return refused(work, idx, error);
  }
  work.position++;
}

function reduce(work: ShardWork, idx: number, result: unknown): Promise<void> | undefined {
  const { runner, env } = work.context;
  try {
    const next = runner.reduceState(work.state, result, env);
    if (isThenable(next)) return reduceLater(work, idx, next);
    work.state = next;
    return undefined;
  } catch (error) {
    throw writerError(error, idx, runner.name);
  }
}

async function reduceLater(work: ShardWork, idx: number, next: PromiseLike<unknown>): Promise<void> {
  try {
    work.state = (await next) as ShardWork["state"];
  } catch (error) {
    throw writerError(error, idx, work.context.runner.name);
  }
}

async function failOne(work: ShardWork, idx: number, firstError: unknown): Promise<void> {
  const { runner, env, options } = work.context;
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
    return batched ? foldBatch(work, [idx], result) : fold(work, idx, result);
  }
  return giveUp(work, idx, { error, tries: options.retries + 1 });
}

/** The item has failed for good: stops the run or writes it down, as the user chose. */
async function giveUp(
  work: ShardWork,
  idx: number,
  { error, tries }: { error: unknown; tries: number },
): Promise<void> {
  const { options, budget } = work.context;
  if (options.onError === "fail") throw itemFailed(work, idx, error);
  const at = await outputOffsets(work.writers);
  work.onFailure({ item: idx, position: work.position, ...describeError(error), attempt: work.epoch, tries, at });
  work.failed++;
  work.position++;
  budget.spend(idx, error);
}

function itemFailed(work: ShardWork, idx: number, error: unknown): MillraceError {
  const { runner, missingKeys, options } = work.context;
  const missing = missingKeys.explain();
  const why = missing === undefined ? "" : ` (${missing})`;
  const batched = isBatched(options);
  const got = batched ? ` With batchSize, forward gets an array, also for one item: here [${idx}].` : "";
  return new MillraceError("ITEM_FAILED", `${runner.name}.forward failed at item ${idx}: ${messageOf(error)}${why}`, {
    cause: error,
    item: idx,
    hint: `Everything before it is kept. Correct it and run again, or pass onError: "skip" to go on without such items.${got}`,
  });
}

/** A record that was refused before anything was written is the item's own fault; trying again would not help. */
async function refused(work: ShardWork, idx: number, error: unknown): Promise<void> {
  if (error instanceof MillraceError && error.code === "BAD_RECORD") return giveUp(work, idx, { error, tries: 1 });
  throw error;
}

function writerError(error: unknown, idx: number, runner: string): unknown {
  if (error instanceof MillraceError) return error;
  return new MillraceError(
    "WRITER_FAILED",
    `${runner} could not write the result of item ${idx}: ${messageOf(error)}`,
    {
      cause: error,
      item: idx,
      hint: "writeRecord must not fail: the file may hold half a record. Correct it and run again; the shard goes on from its last checkpoint.",
    },
  );
}

function wrongBatchResult(runner: string, indices: readonly number[], results: unknown): MillraceError {
  const got = indices.length === 1 ? `[${indices[0]}]` : `an array of ${indices.length} indices`;
  return new MillraceError("BATCH_RESULT", `${runner}.forward got ${got} and returned ${describeKind(results)}.`, {
    hint: "With batchSize, forward gets an array of indices and returns an array with one result for each (null drops that item).",
  });
}
