import { join } from "node:path";
import { messageOf } from "../../errors/errors.ts";
import { writeFileSync } from "../../run-folder/files/store-calls.ts";
import { type Done, describeFile, listFiles, type ShardFile, writeDone } from "../../run-folder/shard/done.ts";
import { failuresName, stateName } from "../../run-folder/shard/shard-file-names.ts";
import { readShardState, writeShardState } from "../../run-folder/shard/shard-state.ts";
import { cutText } from "../../text/cut-text.ts";
import { checkpointingWriters } from "../../writers/writer.ts";
import type { ShardClaim } from "../lease-protocol.ts";
import { beginAttemptRecord } from "./attempt-record.ts";
import { callAhead } from "./call-ahead.ts";
import { type FailureRecord, outputOffsets } from "./failure-log.ts";
import { type Insertion, insertLines } from "./insert-lines.ts";
import { runOneItem } from "./run-items.ts";
import {
  closeAll,
  computeShard,
  describedFiles,
  openShard,
  readHistory,
  type ShardOutcome,
  syncShard,
} from "./run-shard.ts";
import type { ShardAttempt } from "./shard-attempt.ts";
import { type ShardContext, ShardInterrupted } from "./shard-context.ts";

export interface RetryTask {
  readonly done: Done;
  /** All failures of the shard, in item order. */
  readonly failures: readonly FailureRecord[];
  readonly isWanted: (failure: FailureRecord) => boolean;
  /** Earlier attempts at this retry, which were not committed. */
  readonly earlier: readonly number[];
}

/** The output of one retried item in each file, as offsets, and its new failure if it failed again. */
interface Retried {
  readonly failure: FailureRecord;
  readonly from: Readonly<Record<string, number>>;
  readonly to: Readonly<Record<string, number>>;
  readonly failedAgain: FailureRecord | undefined;
}

/**
 * Runs only the failed items of a committed shard, inserts their output at the right offsets and commits the shard
 * again. Only line writers record these offsets; with other writers the whole shard is computed again.
 */
export async function retryShard(claim: ShardClaim, task: RetryTask, context: ShardContext): Promise<ShardOutcome> {
  const { member } = context.worker;
  const { protocol, heartbeat } = member;
  const record = beginAttemptRecord(claim, member);
  const hold = heartbeat.hold(claim);
  try {
    // Careful mode, in which each item is noted before it runs: these items have failed before, and are few.
    const history = { ...readHistory(claim, task.earlier, context), isCareful: true };
    const work = await openShard({ claim, hold }, { kind: "nothing" }, context, history);
    const done = await retryOpen(work, claim, task);
    const outcome = await protocol.commit(claim, { replace: true });
    if (outcome === "lost") return { kind: "lost" };
    // It counts as long, so that it is flushed soon: the shard that it replaces was on the disk.
    syncShard(context, done, Number.POSITIVE_INFINITY);
    const items = canInsert(work, task.done) ? task.failures.filter(task.isWanted).length : done.counts.items;
    record.end("committed", { items, failed: done.counts.failed, counts: done.counts });
    return { kind: "committed", done };
  } catch (error) {
    const isHeld = await protocol.owns(claim);
    await protocol.drop(claim);
    const reason = error instanceof ShardInterrupted ? undefined : cutText(messageOf(error));
    if (isHeld) record.end(reason === undefined ? "released" : "failed", { items: 0, failed: 0, reason });
    throw error;
  } finally {
    context.open.clear();
    hold.release();
  }
}

async function retryOpen(work: ShardAttempt, claim: ShardClaim, task: RetryTask): Promise<Done> {
  try {
    return await (canInsert(work, task.done) ? retryAlone(work, claim, task) : computeShard(work, claim));
  } finally {
    await closeAll(work);
  }
}

function canInsert({ state }: ShardAttempt, done: Done): boolean {
  return (
    checkpointingWriters(state.writers) !== undefined && outputs(done.files).every((file) => file.lines !== undefined)
  );
}

async function retryAlone(work: ShardAttempt, claim: ShardClaim, task: RetryTask): Promise<Done> {
  const { hooks, env, context } = work;
  const { run, member } = context.worker;
  const oldDir = run.paths.shard(claim.target);
  const newDir = work.state.shardDir;
  Object.assign(work.state, readShardState(oldDir));
  const retried = await runAgain(work, task);
  writeShardState(newDir, await hooks.finalizeState(work.state, env));
  await closeAll(work);

  const known = new Map(describedFiles(work));
  for (const file of outputs(task.done.files)) {
    const addedLines = known.get(file.name)?.lines ?? 0;
    known.set(
      file.name,
      insertLines(file, { oldDir, newDir, insertions: insertionsInto(file.name, retried), addedLines }),
    );
  }
  const failures = stillFailed(task, retried);
  if (failures.length > 0) known.set(failuresName, writeFailures(newDir, failures));
  const { counts } = task.done;
  const done: Done = {
    ...task.done,
    attempt: claim.attempt,
    worker: member.lease.worker,
    counts: {
      items: counts.items,
      written: counts.items - counts.dropped - work.dropped - failures.length,
      dropped: counts.dropped + work.dropped,
      failed: failures.length,
    },
    files: listFiles(newDir, known),
  };
  writeDone(newDir, done);
  work.discardMachinery();
  return done;
}

/** The files of a shard that its writers made. */
function outputs(files: readonly ShardFile[]): readonly ShardFile[] {
  return files.filter(({ name }) => name !== failuresName && name !== stateName);
}

async function runAgain(work: ShardAttempt, { failures, isWanted }: RetryTask): Promise<Retried[]> {
  const wanted = failures.filter(isWanted);
  const retried: Retried[] = [];
  const ahead = work.context.calls.isPlain ? undefined : callAhead(work, wanted);
  const run = ahead?.fold ?? ((item: number) => runOneItem(work, item));
  try {
    for (const failure of wanted) {
      let failedAgain: FailureRecord | undefined;
      work.onFailure = (record) => {
        failedAgain = record;
      };
      const from = await outputOffsets(work.writers);
      work.position = failure.position;
      await run(failure.item);
      retried.push({ failure, from, to: await outputOffsets(work.writers), failedAgain });
    }
  } finally {
    await ahead?.close();
  }
  return retried;
}

function insertionsInto(name: string, retried: readonly Retried[]): Insertion[] {
  return retried.map(({ failure, from, to }) => ({
    at: failure.at[name] ?? 0,
    from: from[name] ?? 0,
    to: to[name] ?? 0,
  }));
}

/** The failures that remain, with their output offsets shifted by what was inserted before them. */
function stillFailed({ failures }: RetryTask, retried: readonly Retried[]): FailureRecord[] {
  const byPosition = new Map(retried.map((entry) => [entry.failure.position, entry]));
  const inserted = new Map<string, number>();
  const left: FailureRecord[] = [];
  for (const failure of failures) {
    const entry = byPosition.get(failure.position);
    const now = entry === undefined ? failure : entry.failedAgain;
    const names = new Set([...Object.keys(failure.at), ...inserted.keys()]);
    const at = Object.fromEntries(
      [...names].map((name) => [name, (failure.at[name] ?? 0) + (inserted.get(name) ?? 0)]),
    );
    if (now !== undefined) left.push({ ...now, position: failure.position, at });
    for (const [name, to] of Object.entries(entry?.to ?? {})) {
      inserted.set(name, (inserted.get(name) ?? 0) + to - (entry?.from[name] ?? 0));
    }
  }
  return left;
}

function writeFailures(dir: string, failures: readonly FailureRecord[]): ShardFile {
  const text = failures.map((failure) => `${JSON.stringify(failure)}\n`).join("");
  writeFileSync(join(dir, failuresName), text, { flag: "w" });
  return { ...describeFile(dir, failuresName), lines: failures.length };
}
