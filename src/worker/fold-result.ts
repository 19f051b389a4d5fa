import { MillraceError, messageOf } from "../shared/errors.ts";
import { isThenable } from "../shared/is-thenable.ts";
import { describeKind } from "../shared/state-json.ts";
import { describeError, outputOffsets } from "./failure-log.ts";
import { ownState } from "./shard-state.ts";
import type { ShardWork } from "./shard-work.ts";
import { isBatched } from "./work-options.ts";

/** Takes what one call of `forward` returned for several items in. */
export async function foldBatch(work: ShardWork, indices: readonly number[], results: unknown): Promise<void> {
  const { runner } = work.context;
  if (runner.writeBatch !== undefined) return foldWhole(work, indices, results);
  if (!Array.isArray(results) || results.length !== indices.length)
    throw wrongBatchResult(runner.name, indices, results);
  for (const [i, idx] of indices.entries()) await fold(work, idx, results[i]);
}

/** The runner takes the batch as one: an array with a result for each item, or one object for all of them. */
async function foldWhole(work: ShardWork, indices: readonly number[], results: unknown): Promise<void> {
  const { runner } = work.context;
  const isFitting = Array.isArray(results) ? results.length === indices.length : typeof results === "object";
  if (!isFitting) throw wrongBatchResult(runner.name, indices, results);
  const dropped = droppedOf(results, indices.length);
  try {
    if (dropped < indices.length) await reduce(work, indices[0]!, results);
  } catch (error) {
    if (!(error instanceof MillraceError) || error.code !== "BAD_RECORD") throw error;
    throw partlyWritten(error, indices[0]!, runner.name);
  }
  work.dropped += dropped;
  work.position += indices.length;
}

function droppedOf(results: unknown, count: number): number {
  if (results === null) return count;
  return Array.isArray(results) ? results.filter((result) => result === null || result === undefined).length : 0;
}

/** Takes the result of one item in. Returns a promise only where a hook or the error policy needs one. */
export function fold(work: ShardWork, idx: number, result: unknown): Promise<void> | undefined {
  if (result === null || result === undefined) {
    work.dropped++;
    work.position++;
    return undefined;
  }
  let folding: Promise<void> | undefined;
  work.writes = 0;
  try {
    folding = reduce(work, idx, work.context.runner.writeBatch === undefined ? result : [result]);
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
    if (runner.writeBatch !== undefined) return writeBatch(work, idx, result);
    const next = runner.reduceState(work.state, result, env);
    if (isThenable(next)) return reduceLater(work, idx, next);
    work.state = next;
    return undefined;
  } catch (error) {
    throw writerError(error, idx, runner.name);
  }
}

function writeBatch(work: ShardWork, idx: number, results: unknown): Promise<void> | undefined {
  const { runner, env } = work.context;
  const { state } = work;
  const writing = runner.writeBatch!(state.writers, results, state, env);
  return isThenable(writing)
    ? reduceLater(
        work,
        idx,
        writing.then(() => state),
      )
    : undefined;
}

async function reduceLater(work: ShardWork, idx: number, next: PromiseLike<unknown>): Promise<void> {
  try {
    work.state = (await next) as ShardWork["state"];
  } catch (error) {
    throw writerError(error, idx, work.context.runner.name);
  }
}

/** The item has failed for good: stops the run or writes it down, as the user chose. */
export async function giveUp(
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
    hint: `${missing === undefined ? "" : "Give the key the same name in the provider and in forward. "}Everything before it is kept. Correct it and run again (with acceptChange: true, if the code is edited for that), or pass onError: "skip" to go on without such items.${got}`,
  });
}

/** A record that was refused before anything was written is the item's own fault; trying again would not help. */
export async function refused(work: ShardWork, idx: number, error: unknown): Promise<void> {
  if (!(error instanceof MillraceError) || error.code !== "BAD_RECORD") throw error;
  if (isPartlyWritten(work)) throw partlyWritten(error, idx, work.context.runner.name);
  return giveUp(work, idx, { error, tries: 1 });
}

/** Whether the hooks may have written something of the item, or counted it in their state, before the rest was refused. */
function isPartlyWritten({ writes, areWritesCounted, state, context }: ShardWork): boolean {
  return (
    writes > 0 ||
    !areWritesCounted ||
    context.runner.writeBatch !== undefined ||
    Object.keys(ownState(state)).length > 0
  );
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
      hint: "writeRecord (or writeBatch) must not fail: the file may hold half a record. Correct it and run again; the shard goes on from its last checkpoint.",
    },
  );
}

function wrongBatchResult(runner: string, indices: readonly number[], results: unknown): MillraceError {
  const got = indices.length === 1 ? `[${indices[0]}]` : `an array of ${indices.length} indices`;
  return new MillraceError("BATCH_RESULT", `${runner}.forward got ${got} and returned ${describeKind(results)}.`, {
    hint: "With batchSize, forward gets an array of indices and returns an array with one result for each (null drops that item). Only a runner with a static writeBatch may return one object for the whole batch.",
  });
}
