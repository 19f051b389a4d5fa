import type { RunnerHooks } from "../../contract/runner-hooks.ts";
import { isBatched } from "../../contract/work-options.ts";
import { MillraceError, messageOf } from "../../errors/errors.ts";
import { type ItemError, isItemError } from "../../errors/item-error.ts";
import { userState } from "../../run-folder/shard/shard-state.ts";
import { isThenable } from "../../runtime/is-thenable.ts";
import { describeKind } from "../../values/state-json.ts";
import type { Answer } from "../calls/answer.ts";
import { describeError, outputOffsets } from "./failure-log.ts";
import { itemId, itemName } from "./item-id.ts";
import { requireState } from "./require-state.ts";
import type { ShardAttempt } from "./shard-attempt.ts";

/** Folds the results of one call of `forward` for several items. */
export async function foldBatch(work: ShardAttempt, indices: readonly number[], results: unknown): Promise<void> {
  const { hooks } = work;
  checkBatchResult(hooks, indices, results);
  if (hooks.writeBatch !== undefined) return foldWhole(work, indices, results);
  for (const [i, idx] of indices.entries()) await fold(work, idx, (results as unknown[])[i]);
}

/** Throws if `forward` must not return this for a batch. */
export function checkBatchResult(hooks: RunnerHooks, indices: readonly number[], results: unknown): void {
  const isFitting = Array.isArray(results)
    ? results.length === indices.length
    : hooks.writeBatch !== undefined && typeof results === "object";
  if (!isFitting) throw wrongBatchResult(hooks.name, indices, results);
}

/** Folds the answer of a call for some items. */
export function foldAnswer(work: ShardAttempt, indices: readonly number[], answer: Answer): Promise<void> | undefined {
  const [first] = indices;
  if (answer.kind === "failed") return failItem(work, first!, answer);
  const isWholeBatch = work.hooks.writeBatch !== undefined && isBatched(work.context.worker.task.options);
  return isWholeBatch ? foldWhole(work, indices, answer.result) : fold(work, first!, answer.result);
}

/**
 * Passes the whole batch to writeBatch of the runner: an array with a result for each item, or one object for all items.
 */
async function foldWhole(work: ShardAttempt, indices: readonly number[], results: unknown): Promise<void> {
  const { hooks } = work;
  const { kept, failed } = splitFailed(results);
  const dropped = droppedOf(kept, indices.length) - failed.length;
  const begin = work.position;
  try {
    if (dropped + failed.length < indices.length) await reduce(work, indices[0]!, kept);
  } catch (error) {
    if (!(error instanceof MillraceError) || error.code !== "BAD_RECORD") throw error;
    throw partlyWritten(error, indices[0]!, hooks.name);
  }
  for (const [i, error] of failed) {
    work.position = begin + i;
    await failItem(work, indices[i]!, { error, tries: 1 });
  }
  work.dropped += dropped;
  work.position = begin + indices.length;
}

/** Separates the failed items of a batch from the results of the others. */
function splitFailed(results: unknown): {
  readonly kept: unknown;
  readonly failed: readonly (readonly [at: number, error: ItemError])[];
} {
  if (!Array.isArray(results) || !results.some(isItemError)) return { kept: results, failed: [] };
  const failed = results.flatMap((result: unknown, i) => (isItemError(result) ? [[i, result] as const] : []));
  return { kept: results.map((result: unknown) => (isItemError(result) ? null : result)), failed };
}

function droppedOf(results: unknown, count: number): number {
  if (results === null) return count;
  return Array.isArray(results) ? results.filter((result) => result === null || result === undefined).length : 0;
}

/** Folds the result of one item. Returns a promise only if a hook or `onError` needs one. */
export function fold(work: ShardAttempt, idx: number, result: unknown): Promise<void> | undefined {
  if (result === null || result === undefined) {
    work.dropped++;
    work.position++;
    return undefined;
  }
  if (isItemError(result)) return failItem(work, idx, { error: result, tries: 1 });
  let folding: Promise<void> | undefined;
  work.writes = 0;
  try {
    folding = reduce(work, idx, work.hooks.writeBatch === undefined ? result : [result]);
  } catch (error) {
    return handleRefusedRecord(work, idx, error);
  }
  if (folding !== undefined) return finishFold(work, idx, folding);
  work.position++;
  return undefined;
}

async function finishFold(work: ShardAttempt, idx: number, folding: Promise<void>): Promise<void> {
  try {
    await folding;
  } catch (error) {
    return handleRefusedRecord(work, idx, error);
  }
  work.position++;
}

function reduce(work: ShardAttempt, idx: number, result: unknown): Promise<void> | undefined {
  const { hooks, env } = work;
  try {
    if (hooks.writeBatch !== undefined) return writeBatch(work, idx, result);
    const next = hooks.reduceState(work.state, result, env);
    if (isThenable(next)) return reduceLater(work, idx, next);
    if (next !== work.state) work.state = requireState(hooks.name, "reduceState", next);
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
    work.state = requireState(work.hooks.name, "reduceState", await next);
  } catch (error) {
    throw writerError(error, idx, work.hooks.name);
  }
}

/** Handles an item that failed in all its tries: throws, or records the failure, depending on `onError`. */
export async function failItem(
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

/** Handles a record that a writer has refused: the item fails without a retry, which would not help. */
export async function handleRefusedRecord(work: ShardAttempt, idx: number, error: unknown): Promise<void> {
  if (!(error instanceof MillraceError) || error.code !== "BAD_RECORD") throw error;
  if (isPartlyWritten(work)) throw partlyWritten(error, idx, work.hooks.name);
  return failItem(work, idx, { error, tries: 1 });
}

/** Whether the hooks may have written a part of the item, or counted it in their state, before the rest was refused. */
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
