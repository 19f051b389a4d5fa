import { isBatched } from "../../contract/work-options.ts";
import { MillraceError, messageOf } from "../../errors/errors.ts";
import { userState } from "../../run-folder/shard/shard-state.ts";
import { isThenable } from "../../runtime/is-thenable.ts";
import { describeKind } from "../../values/state-json.ts";
import { describeError, outputOffsets } from "./failure-log.ts";
import { itemId, itemName } from "./item-id.ts";
import type { ShardAttempt } from "./shard-attempt.ts";

/** Folds the results of one call of `forward` for several items. */
export async function foldBatch(work: ShardAttempt, indices: readonly number[], results: unknown): Promise<void> {
  const { hooks } = work;
  if (hooks.writeBatch !== undefined) return foldWhole(work, indices, results);
  if (!Array.isArray(results) || results.length !== indices.length)
    throw wrongBatchResult(hooks.name, indices, results);
  for (const [i, idx] of indices.entries()) await fold(work, idx, results[i]);
}

/**
 * The runner's writeBatch takes the whole batch: an array with a result for each item, or one object for all of them.
 */
async function foldWhole(work: ShardAttempt, indices: readonly number[], results: unknown): Promise<void> {
  const { hooks } = work;
  const isFitting = Array.isArray(results) ? results.length === indices.length : typeof results === "object";
  if (!isFitting) throw wrongBatchResult(hooks.name, indices, results);
  const dropped = droppedOf(results, indices.length);
  try {
    if (dropped < indices.length) await reduce(work, indices[0]!, results);
  } catch (error) {
    if (!(error instanceof MillraceError) || error.code !== "BAD_RECORD") throw error;
    throw partlyWritten(error, indices[0]!, hooks.name);
  }
  work.dropped += dropped;
  work.position += indices.length;
}

function droppedOf(results: unknown, count: number): number {
  if (results === null) return count;
  return Array.isArray(results) ? results.filter((result) => result === null || result === undefined).length : 0;
}

/** Folds the result of one item. Returns a promise only where a hook or the error policy needs one. */
export function fold(work: ShardAttempt, idx: number, result: unknown): Promise<void> | undefined {
  if (result === null || result === undefined) {
    work.dropped++;
    work.position++;
    return undefined;
  }
  let folding: Promise<void> | undefined;
  work.writes = 0;
  try {
    folding = reduce(work, idx, work.hooks.writeBatch === undefined ? result : [result]);
  } catch (error) {
    return refused(work, idx, error);
  }
  if (folding !== undefined) return finishFold(work, idx, folding);
  work.position++;
  return undefined;
}

async function finishFold(work: ShardAttempt, idx: number, folding: Promise<void>): Promise<void> {
  try {
    await folding;
  } catch (error) {
    return refused(work, idx, error);
  }
  work.position++;
}

function reduce(work: ShardAttempt, idx: number, result: unknown): Promise<void> | undefined {
  const { hooks, env } = work;
  try {
    if (hooks.writeBatch !== undefined) return writeBatch(work, idx, result);
    const next = hooks.reduceState(work.state, result, env);
    if (isThenable(next)) return reduceLater(work, idx, next);
    work.state = next;
    return undefined;
  } catch (error) {
    throw writerError(error, idx, hooks.name);
  }
}

function writeBatch(work: ShardAttempt, idx: number, results: unknown): Promise<void> | undefined {
  const { hooks, env } = work;
  const { state } = work;
  const writing = hooks.writeBatch!(state.writers, results, state, env);
  return isThenable(writing)
    ? reduceLater(
        work,
        idx,
        writing.then(() => state),
      )
    : undefined;
}

async function reduceLater(work: ShardAttempt, idx: number, next: PromiseLike<unknown>): Promise<void> {
  try {
    work.state = (await next) as ShardAttempt["state"];
  } catch (error) {
    throw writerError(error, idx, work.hooks.name);
  }
}

/** The item has failed for good: stops the run or records the failure, as `onError` says. */
export async function giveUp(
  work: ShardAttempt,
  idx: number,
  { error, tries }: { error: unknown; tries: number },
): Promise<void> {
  const { worker, budget } = work.context;
  const id = await itemId(work, idx);
  if (worker.task.options.onError === "fail") throw itemFailed(work, { idx, id }, error);
  const at = await outputOffsets(work.writers);
  const named = id === undefined ? { item: idx } : { item: idx, id };
  work.onFailure({ ...named, position: work.position, ...describeError(error), attempt: work.attempt, tries, at });
  work.failed++;
  work.position++;
  budget.recordFailure(idx, error);
}

function itemFailed(
  work: ShardAttempt,
  { idx, id }: { readonly idx: number; readonly id: string | undefined },
  error: unknown,
): MillraceError {
  const { missingKeys, worker } = work.context;
  const missing = missingKeys.explain();
  const why = missing === undefined ? "" : ` (${missing})`;
  const batched = isBatched(worker.task.options);
  const got = batched ? ` With batchSize, forward gets an array, also for one item: here [${idx}].` : "";
  return new MillraceError(
    "ITEM_FAILED",
    `${work.hooks.name}.forward failed at ${itemName(idx, id)}: ${messageOf(error)}${why}`,
    {
      cause: error,
      item: idx,
      hint: `${missing === undefined ? "" : "Give the key the same name in the provider and in forward. "}Everything before it is kept. Correct it and run again (with acceptChange: true, if the code is edited for that), or pass onError: "skip" to continue without such items.${got}`,
    },
  );
}

/** A record that was refused before anything was written is the item's fault; a retry would not help. */
export async function refused(work: ShardAttempt, idx: number, error: unknown): Promise<void> {
  if (!(error instanceof MillraceError) || error.code !== "BAD_RECORD") throw error;
  if (isPartlyWritten(work)) throw partlyWritten(error, idx, work.hooks.name);
  return giveUp(work, idx, { error, tries: 1 });
}

/** Whether the hooks may have written something of the item, or counted it in their state, before the rest was refused. */
function isPartlyWritten({ writes, areWritesCounted, state, hooks }: ShardAttempt): boolean {
  return writes > 0 || !areWritesCounted || hooks.writeBatch !== undefined || Object.keys(userState(state)).length > 0;
}

function partlyWritten(error: MillraceError, idx: number, runner: string): MillraceError {
  return new MillraceError(
    "WRITER_FAILED",
    `${runner} may have written a part of item ${idx} when the rest was refused: ${error.reason}`,
    {
      cause: error,
      item: idx,
      hint: "Such an item is not skipped: its part would stay in the outputs. Check the result in forward and throw there, or correct it and run again.",
    },
  );
}

function writerError(error: unknown, idx: number, runner: string): unknown {
  if (error instanceof MillraceError) return error;
  return new MillraceError(
    "WRITER_FAILED",
    `${runner} could not write the result of item ${idx}: ${messageOf(error)}`,
    {
      cause: error,
      item: idx,
      hint: "writeRecord (or writeBatch) must not fail: the file may hold half a record. Correct it and run again; the shard continues from its last checkpoint.",
    },
  );
}

function wrongBatchResult(runner: string, indices: readonly number[], results: unknown): MillraceError {
  const got = indices.length === 1 ? `[${indices[0]}]` : `an array of ${indices.length} indices`;
  return new MillraceError("BATCH_RESULT", `${runner}.forward got ${got} and returned ${describeKind(results)}.`, {
    hint: "With batchSize, forward gets an array of indices and returns an array with one result for each (null drops that item). Only a runner with a static writeBatch may return one object for the whole batch.",
  });
}
