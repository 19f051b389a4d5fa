import { errnoOf, MillraceError, messageOf } from "../../errors/errors.ts";
import { shardOf } from "../../plan/plan.ts";
import { isStoreTrouble, storeError } from "../../run-folder/files/store-trouble.ts";
import { describeExit, isUnused, noteRelease, readAttemptEnd } from "../../run-folder/history/attempt-notes.ts";
import { type Restored, restoreAttempt } from "../../run-folder/shard/checkpoint.ts";
import {
  type Done,
  listFiles,
  readDone,
  type ShardCounts,
  type ShardFile,
  writeDone,
} from "../../run-folder/shard/done.ts";
import { fileOf } from "../../run-folder/shard/shard-file-names.ts";
import { withUserState, writeShardState } from "../../run-folder/shard/shard-state.ts";
import { ignoreErrors } from "../../runtime/ignore-errors.ts";
import { cutText } from "../../text/cut-text.ts";
import { applyNonFinite } from "../../writers/jsonl-writer.ts";
import { checkpointingWriters, keepsWriterContract, type Writer } from "../../writers/writer.ts";
import type { Protocol, ShardClaim } from "../lease-protocol.ts";
import { type AttemptCounts, beginAttemptRecord } from "./attempt-record.ts";
import { type CrashHistory, judgeCrashes } from "./crash-history.ts";
import { requireState } from "./require-state.ts";
import { runInFlight } from "./run-in-flight.ts";
import { runItems } from "./run-items.ts";
import { type HeldShard, ShardAttempt } from "./shard-attempt.ts";
import { type ShardContext, ShardInterrupted } from "./shard-context.ts";

export type ShardOutcome =
  | { readonly kind: "committed"; readonly done: Done }
  | { readonly kind: "lost" }
  | { readonly kind: "left" };

/**
 * Runs a claimed shard: restore, forward and write, checkpoint, commit. If several calls may be open, `onAllBegun` is
 * called when all its items have begun.
 */
export async function runShard(
  claim: ShardClaim,
  fenced: readonly number[],
  context: ShardContext,
  onAllBegun: () => void = () => {},
): Promise<ShardOutcome> {
  const { member } = context.worker;
  const record = beginAttemptRecord(claim, member);
  const beganMs = performance.now();
  let work: ShardAttempt | undefined;
  const hold = member.heartbeat.hold(claim);
  try {
    const older = olderAttempts(claim, fenced, context);
    const restored = restore(claim, older, context);
    let done: Done;
    if (restored.kind === "complete") done = adopt(claim, context);
    else {
      work = await openShard({ claim, hold }, restored, context, readHistory(claim, fenced, context));
      done = await computeShard(work, claim, { older, onAllBegun });
    }
    if ((await member.protocol.commit(claim)) === "lost") return { kind: "lost" };
    // The time of an earlier attempt is not known, so it counts as long.
    syncShard(context, done, restored.kind === "nothing" ? performance.now() - beganMs : Number.POSITIVE_INFINITY);
    record.end("committed", { ...countsOf(work), counts: done.counts });
    return { kind: "committed", done };
  } catch (error) {
    return await abandon(claim, error, context, (outcome, reason) =>
      record.end(outcome, { ...countsOf(work), reason }),
    );
  } finally {
    if (work !== undefined) context.open.delete(work);
    hold.release();
  }
}

/** The folders of earlier attempts at a shard, newest first. */
function olderAttempts({ target }: ShardClaim, fenced: readonly number[], { worker }: ShardContext): readonly string[] {
  return fenced.map((attempt) => worker.run.paths.fenced(target, attempt)).reverse();
}

/** The items of this attempt alone. */
function countsOf(work: ShardAttempt | undefined): AttemptCounts {
  if (work === undefined) return { items: 0, failed: 0 };
  return { items: work.position - work.began.position, failed: work.failed - work.began.failed };
}

function restore(claim: ShardClaim, older: readonly string[], { worker }: ShardContext): Restored {
  const { paths } = worker.run;
  return older.length === 0 ? { kind: "nothing" } : restoreAttempt(paths.attempt(claim.target, claim.attempt), older);
}

// After this many crashes outside of its items a shard is refused: otherwise it would crash workers again and again.
const maxEndsOutsideItems = 4;

/** Reads how earlier attempts at a shard ended. Throws if the shard cannot be run at all. */
export function readHistory(claim: ShardClaim, fenced: readonly number[], context: ShardContext): CrashHistory {
  const { run, task } = context.worker;
  const folders = fenced
    .map((attempt) => run.paths.fenced(claim.target, attempt))
    .filter((folder) => !isUnused(folder));
  const ends = folders.map(readAttemptEnd);
  const history = judgeCrashes(ends, task.options);
  if (history.endsOutsideItems <= maxEndsOutsideItems) return history;
  const exit = ends.findLast((end) => end.exit !== undefined)?.exit;
  throw new MillraceError(
    "WORKER_CRASHED",
    `split.${claim.target} has ended ${ends.length} workers while none of its items ran; the last one ${describeExit(exit)}.`,
    { hint: `Look at ${task.hooks.name}'s openWriters, closeWriters and finalizeState, then run again.` },
  );
}

/** Takes over the `done` of an earlier attempt, which did everything but the commit. */
function adopt(claim: ShardClaim, { worker }: ShardContext): Done {
  const attemptDir = worker.run.paths.attempt(claim.target, claim.attempt);
  // The commit looks for these two, if the answer to it is lost.
  const done = { ...readDone(attemptDir), attempt: claim.attempt, worker: worker.member.lease.worker };
  writeDone(attemptDir, done);
  return done;
}

/** Runs the rest of an open shard and closes it, so that only the commit is missing. */
export async function computeShard(
  work: ShardAttempt,
  claim: ShardClaim,
  { older = [], onAllBegun = () => {} }: { readonly older?: readonly string[]; readonly onAllBegun?: () => void } = {},
): Promise<Done> {
  const shard = shardOf(work.context.worker.run.plan, claim.target);
  try {
    if (work.context.calls.isPlain) await runItems(work, shard);
    else await runInFlight(work, shard, { older, onAllBegun });
    work.leaveItems();
    const done = await finish(work, claim);
    addTotals(work, done.counts);
    return done;
  } catch (error) {
    work.leaveItems();
    await leave(work, error);
    throw error;
  }
}

/**
 * Opens a shard's state and writers in the attempt's folder, at its beginning or at an earlier attempt's checkpoint.
 */
export async function openShard(
  held: HeldShard,
  restored: Restored,
  context: ShardContext,
  history?: CrashHistory,
): Promise<ShardAttempt> {
  const { claim } = held;
  const { env, worker } = context;
  const { hooks, traits, options } = worker.task;
  const shardDir = worker.run.paths.attempt(claim.target, claim.attempt);
  let state = requireState(
    hooks.name,
    "initState",
    await guardHook(hooks.name, "initState", () => hooks.initState({ shardId: claim.target, shardDir }, env)),
  );
  if (traits.standardWriters) applyNonFinite(state.writers["records"], options.nonFinite ?? "refuse");
  const canContinue = restored.kind === "checkpoint" && checkpointingWriters(state.writers) !== undefined;
  if (canContinue) state = withUserState(state, restored.checkpoint.state);
  const work = new ShardAttempt(context, held, state, history);
  if (canContinue) await work.restore(restored);
  return work;
}

/** Closes everything and writes `done`, so that the folder only has to be moved. */
async function finish(work: ShardAttempt, claim: ShardClaim): Promise<Done> {
  const { hooks, env } = work;
  const { shardDir } = work.state;
  const finalState = await guardHook(hooks.name, "finalizeState", () => hooks.finalizeState(work.state, env));
  await closeAll(work);
  writeShardState(shardDir, finalState);
  const done: Done = {
    version: 1,
    shard: claim.target,
    attempt: claim.attempt,
    worker: work.context.worker.member.lease.worker,
    counts: work.counts(),
    files: outputFiles(work),
  };
  writeDone(shardDir, done);
  work.discardMachinery();
  return done;
}

function outputFiles(work: ShardAttempt): ShardFile[] {
  const known = describedFiles(work);
  const isAllKnown = work.context.worker.task.traits.standardFiles;
  return isAllKnown
    ? [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    : listFiles(work.state.shardDir, known);
}

/** Queues the files of a committed shard for the next flush to the disk. */
export function syncShard({ worker, sync }: ShardContext, done: Done, tookMs: number): void {
  const { paths } = worker.run;
  const shardDir = paths.shard(done.shard);
  sync.add([...done.files.map((file) => fileOf(shardDir, file.name)), paths.done(done.shard)], tookMs);
}

/** Closes an unfinished shard so that the next attempt can continue it. */
async function leave(work: ShardAttempt, error: unknown): Promise<void> {
  const { hooks, env } = work;
  const { writers } = work.state;
  try {
    if (!hasWriteFailed(error)) await work.checkpoint();
    work.closeCheckpoints();
    for (const writer of writersOf(work)) await writer.leave?.();
    await hooks.closeWriters(writers, work.state, env);
    await closeAll(work);
  } catch {
    // Ignored: only the first error is reported, and this attempt is not committed.
  }
}

// Whether a write has failed. Then the position is ahead of the file, and only the last checkpoint is valid.
function hasWriteFailed(error: unknown): boolean {
  if (errnoOf(error) !== undefined) return true;
  if (error instanceof ShardInterrupted) return error.reason === "lost";
  if (!(error instanceof MillraceError)) return true;
  return error.code !== "ITEM_FAILED" && error.code !== "TOO_MANY_FAILURES" && error.code !== "BATCH_RESULT";
}

async function abandon(
  claim: ShardClaim,
  error: unknown,
  { worker }: ShardContext,
  endRecord: (outcome: "released" | "failed", reason?: string) => void,
): Promise<ShardOutcome> {
  // The folder of a fenced attempt is gone, so it may fail in many ways. Another worker has the shard now.
  const { protocol } = worker.member;
  if (!(await stillOwns(claim, protocol))) return { kind: "lost" };
  // The note says that this was no crash, so that the next attempt need not note its items. If it cannot be written
  // (full disk), the next attempt is slower.
  const why = error instanceof ShardInterrupted ? "it was asked to stop" : cutText(messageOf(error));
  ignoreErrors(() => noteRelease(worker.run.paths.attempt(claim.target, claim.attempt), why));
  // Where the file system cannot do it now, the lease ends by its age.
  await protocol.release(claim).catch((failed: unknown) => {
    if (!isStoreTrouble(failed)) throw failed;
  });
  if (!(error instanceof ShardInterrupted)) {
    endRecord("failed", cutText(messageOf(error)));
    throw error;
  }
  if (error.reason === "leaving") endRecord("released");
  return { kind: error.reason === "lost" ? "lost" : "left" };
}

/** Where that cannot be found out, the error that ended the attempt is the one to report. */
async function stillOwns(claim: ShardClaim, protocol: Protocol): Promise<boolean> {
  try {
    return await protocol.owns(claim);
  } catch {
    return true;
  }
}

function addTotals(work: ShardAttempt, counts: ShardCounts): void {
  const { totals, open } = work.context;
  open.delete(work);
  totals.done += counts.items;
  totals.failed += counts.failed;
  totals.dropped += counts.dropped;
}

/** Calls a hook of the user. Its errors get the name of the hook. */
async function guardHook<T>(runner: string, hook: string, call: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause;
    // The file system failed, not the hook.
    if (isStoreTrouble(cause)) throw storeError(cause);
    throw new MillraceError("WRITER_FAILED", `${runner}.${hook} failed: ${messageOf(cause)}`, {
      cause,
      hint: "Look at the hook and at openWriters or closeWriters, which it calls. Nothing is locked: run again once it is corrected.",
    });
  }
}

/** Closes the writers that closeWriters of the runner may have left open. */
export async function closeAll(work: ShardAttempt): Promise<void> {
  for (const writer of writersOf(work)) await writer.close();
}

/** The files of a shard as their writers describe them. */
export function describedFiles(work: ShardAttempt): Map<string, ShardFile> {
  return new Map(
    writersOf(work).flatMap((writer) => (writer.files?.() ?? []).map((file) => [file.name, file] as const)),
  );
}

function writersOf({ state, failures }: ShardAttempt): Writer[] {
  return [...Object.values(state.writers).filter(keepsWriterContract), failures as Writer];
}
