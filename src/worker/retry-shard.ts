import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../shared/errors.ts";
import { type Done, describeFile, listFiles, type ShardFile, writeDone } from "../store/done.ts";
import { failuresName, stateName } from "../store/shard-file-names.ts";
import { checkpointingWriters } from "../writers/writer.ts";
import { openAccount } from "./attempt-account.ts";
import { type FailureRecord, outputOffsets } from "./failure-log.ts";
import { foldLines, type Insertion } from "./fold-lines.ts";
import type { ShardClaim } from "./protocol.ts";
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
import { type ShardContext, ShardInterrupted } from "./shard-context.ts";
import { readShardState, writeShardState } from "./shard-state.ts";
import type { ShardWork } from "./shard-work.ts";

export interface RetryTask {
  readonly done: Done;
  /** All failures of the shard, in item order. */
  readonly failures: readonly FailureRecord[];
  readonly isWanted: (failure: FailureRecord) => boolean;
  /** Attempts at this retry that were not committed. */
  readonly earlier: readonly number[];
}

/** What one item that was tried again added to each file, and whether it failed again. */
interface Retried {
  readonly failure: FailureRecord;
  readonly from: Readonly<Record<string, number>>;
  readonly to: Readonly<Record<string, number>>;
  readonly failedAgain: FailureRecord | undefined;
}

/**
 * Runs the failed items of a committed shard alone and commits the shard anew with their output in its place. Where
 * the shard's files were not all written by line writers, nobody knows that place: the shard is computed whole.
 */
export async function retryShard(claim: ShardClaim, task: RetryTask, context: ShardContext): Promise<ShardOutcome> {
  const { protocol, heartbeat } = context;
  const account = openAccount(claim, protocol);
  heartbeat.hold(claim);
  try {
    // Careful from the start: these items have failed before, and they are few.
    const history = { ...readHistory(claim, task.earlier, context), isCareful: true };
    const work = await openShard(claim, { kind: "nothing" }, context, history);
    const done = await retryOpen(work, claim, task);
    const outcome = await protocol.commit(claim, { replace: true });
    if (outcome === "lost") return { kind: "lost" };
    // The shard that it replaces was on the disk.
    syncShard(context, done, Number.POSITIVE_INFINITY);
    const items = canFold(work, task.done) ? task.failures.filter(task.isWanted).length : done.counts.items;
    account.end("committed", { items, failed: done.counts.failed, counts: done.counts });
    return { kind: "committed", done };
  } catch (error) {
    const isOwn = await protocol.owns(claim);
    await protocol.drop(claim);
    const reason = error instanceof ShardInterrupted ? undefined : messageOf(error);
    if (isOwn) account.end(reason === undefined ? "released" : "failed", { items: 0, failed: 0, reason });
    throw error;
  } finally {
    heartbeat.letGo();
  }
}

async function retryOpen(work: ShardWork, claim: ShardClaim, task: RetryTask): Promise<Done> {
  try {
    return await (canFold(work, task.done) ? retryAlone(work, claim, task) : computeShard(work, claim));
  } finally {
    await closeAll(work);
  }
}

function canFold({ state }: ShardWork, done: Done): boolean {
  return (
    checkpointingWriters(state.writers) !== undefined && outputs(done.files).every((file) => file.lines !== undefined)
  );
}

async function retryAlone(work: ShardWork, claim: ShardClaim, task: RetryTask): Promise<Done> {
  const { runner, env, protocol } = work.context;
  const oldDir = protocol.paths.shard(claim.unit);
  const newDir = work.state.shardDir;
  Object.assign(work.state, readShardState(oldDir));
  const retried = await runAgain(work, task);
  writeShardState(newDir, await runner.finalizeState(work.state, env));
  await closeAll(work);

  const known = new Map(describedFiles(work));
  for (const file of outputs(task.done.files)) {
    const addedLines = known.get(file.name)?.lines ?? 0;
    known.set(
      file.name,
      foldLines(file, { oldDir, newDir, insertions: insertionsInto(file.name, retried), addedLines }),
    );
  }
  const failures = stillFailed(task, retried);
  if (failures.length > 0) known.set(failuresName, writeFailures(newDir, failures));
  const { counts } = task.done;
  const done: Done = {
    ...task.done,
    attempt: claim.epoch,
    worker: protocol.lease.worker,
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

/** The files of a shard that hold its output. */
function outputs(files: readonly ShardFile[]): readonly ShardFile[] {
  return files.filter(({ name }) => name !== failuresName && name !== stateName);
}

async function runAgain(work: ShardWork, { failures, isWanted }: RetryTask): Promise<Retried[]> {
  const retried: Retried[] = [];
  for (const failure of failures.filter(isWanted)) {
    let failedAgain: FailureRecord | undefined;
    work.onFailure = (record) => {
      failedAgain = record;
    };
    const from = await outputOffsets(work.writers);
    work.position = failure.position;
    await runOneItem(work, failure.item);
    retried.push({ failure, from, to: await outputOffsets(work.writers), failedAgain });
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

/** The failures that stay, with the place of their output moved by what was put in before it. */
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
  writeFileSync(join(dir, failuresName), text);
  return { ...describeFile(dir, failuresName), lines: failures.length };
}
