import { shardOf } from "../plan/plan.ts";
import { errnoOf, MillraceError, messageOf } from "../shared/errors.ts";
import { quietly } from "../shared/quietly.ts";
import { describeExit, noteRelease, readAttemptEnd } from "../store/attempt-notes.ts";
import { type Restored, restoreAttempt } from "../store/checkpoint.ts";
import { type Done, listFiles, readDone, type ShardCounts, type ShardFile, writeDone } from "../store/done.ts";
import { fileOf } from "../store/shard-file-names.ts";
import { applyNonFinite } from "../writers/jsonl-writer.ts";
import { checkpointingWriters, keepsWriterContract, type Writer } from "../writers/writer.ts";
import { type AttemptDeeds, openAccount } from "./attempt-account.ts";
import { type CrashHistory, judgeCrashes } from "./crash-history.ts";
import type { ShardClaim } from "./protocol.ts";
import { runItems } from "./run-items.ts";
import type { ShardState } from "./runner-hooks.ts";
import { type ShardContext, ShardInterrupted } from "./shard-context.ts";
import { withOwnState, writeShardState } from "./shard-state.ts";
import { ShardWork } from "./shard-work.ts";

export type ShardOutcome =
  | { readonly kind: "committed"; readonly done: Done }
  | { readonly kind: "lost" }
  | { readonly kind: "left" };

/** The whole life of a claimed shard: restore, forward and write, checkpoint, commit. */
export async function runShard(
  claim: ShardClaim,
  fenced: readonly number[],
  context: ShardContext,
): Promise<ShardOutcome> {
  const account = openAccount(claim, context.protocol);
  const beganMs = performance.now();
  let work: ShardWork | undefined;
  context.heartbeat.hold(claim);
  try {
    const restored = restore(claim, fenced, context);
    let done: Done;
    if (restored.kind === "complete") done = adopt(claim, context);
    else {
      work = await openShard(claim, restored, context, readHistory(claim, fenced, context));
      done = await computeShard(work, claim);
    }
    if ((await context.protocol.commit(claim)) === "lost") return { kind: "lost" };
    // What an earlier attempt has done took longer than this one knows.
    syncShard(context, done, restored.kind === "nothing" ? performance.now() - beganMs : Number.POSITIVE_INFINITY);
    account.end("committed", { ...deedsOf(work), counts: done.counts });
    return { kind: "committed", done };
  } catch (error) {
    return await abandon(claim, error, context, (outcome, reason) =>
      account.end(outcome, { ...deedsOf(work), reason }),
    );
  } finally {
    context.heartbeat.letGo();
  }
}

/** What this attempt has done itself. */
function deedsOf(work: ShardWork | undefined): AttemptDeeds {
  if (work === undefined) return { items: 0, failed: 0 };
  return { items: work.position - work.began.position, failed: work.failed - work.began.failed };
}

function restore(claim: ShardClaim, fenced: readonly number[], { protocol: { paths } }: ShardContext): Restored {
  const older = fenced.map((epoch) => paths.fenced(claim.unit, epoch)).reverse();
  return older.length === 0 ? { kind: "nothing" } : restoreAttempt(paths.attempt(claim.unit, claim.epoch), older);
}

// A shard that ends its worker although none of its items runs would do so for ever.
const mostEndsOutsideItems = 4;

/** What earlier attempts at a shard tell; refuses one that cannot be run at all. */
export function readHistory(claim: ShardClaim, fenced: readonly number[], context: ShardContext): CrashHistory {
  const { protocol, options, runner } = context;
  const ends = fenced.map((epoch) => readAttemptEnd(protocol.paths.fenced(claim.unit, epoch)));
  const history = judgeCrashes(ends, options);
  if (history.endsOutsideItems <= mostEndsOutsideItems) return history;
  const exit = ends.findLast((end) => end.exit !== undefined)?.exit;
  throw new MillraceError(
    "WORKER_CRASHED",
    `split.${claim.unit} has ended ${ends.length} workers while none of its items ran; the last one ${describeExit(exit)}.`,
    { hint: `Look at ${runner.name}'s openWriters, closeWriters and finalizeState, then run again.` },
  );
}

/** An earlier attempt had everything but the commit. */
function adopt(claim: ShardClaim, { protocol: { paths } }: ShardContext): Done {
  const attemptDir = paths.attempt(claim.unit, claim.epoch);
  const done = { ...readDone(attemptDir), attempt: claim.epoch };
  writeDone(attemptDir, done);
  return done;
}

/** Runs what is left of an open shard and closes it; only the commit is missing then. */
export async function computeShard(work: ShardWork, claim: ShardClaim): Promise<Done> {
  try {
    await runItems(work, shardOf(work.context.plan, claim.unit));
    work.guard?.leave();
    const done = await finish(work, claim);
    addTotals(work.context, done.counts);
    return done;
  } catch (error) {
    work.guard?.leave();
    await leave(work, error);
    throw error;
  }
}

/** Opens a shard's state and writers in the attempt's folder, at its beginning or where an earlier attempt stood. */
export async function openShard(
  claim: ShardClaim,
  restored: Restored,
  context: ShardContext,
  history?: CrashHistory,
): Promise<ShardWork> {
  const { runner, env, protocol } = context;
  const shardDir = protocol.paths.attempt(claim.unit, claim.epoch);
  let state = await guardHook(runner.name, "initState", () => runner.initState({ shardId: claim.unit, shardDir }, env));
  checkState(runner.name, state);
  if (context.traits.standardWriters) applyNonFinite(state.writers["records"], context.options.nonFinite ?? "refuse");
  const canGoOn = restored.kind === "checkpoint" && checkpointingWriters(state.writers) !== undefined;
  if (canGoOn) state = withOwnState(state, restored.checkpoint.state);
  const work = new ShardWork(context, claim.epoch, state, history);
  if (canGoOn) await work.restore(restored);
  return work;
}

function checkState(runner: string, state: ShardState): void {
  if (typeof state === "object" && state !== null && typeof state.writers === "object" && state.writers !== null)
    return;
  throw new MillraceError("BAD_RUNNER", `${runner}.initState must return a state with its writers in it.`, {
    hint: "Call super.initState(place, env) and add your own keys to what it returns; openWriters returns an object.",
  });
}

/** Closes everything and writes `done`: after that the folder only has to be moved. */
async function finish(work: ShardWork, claim: ShardClaim): Promise<Done> {
  const { runner, env, protocol } = work.context;
  const { shardDir } = work.state;
  const finalState = await guardHook(runner.name, "finalizeState", () => runner.finalizeState(work.state, env));
  await closeAll(work);
  writeShardState(shardDir, finalState);
  const done: Done = {
    version: 1,
    shard: claim.unit,
    attempt: claim.epoch,
    worker: protocol.lease.worker,
    counts: work.counts(),
    files: outputFiles(work),
  };
  writeDone(shardDir, done);
  work.discardMachinery();
  return done;
}

function outputFiles(work: ShardWork): ShardFile[] {
  const known = describedFiles(work);
  const isAllKnown = work.context.traits.standardFiles;
  return isAllKnown
    ? [...known.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    : listFiles(work.state.shardDir, known);
}

/** Has the files of a committed shard flushed to the disk, in time. */
export function syncShard({ protocol: { paths }, sync }: ShardContext, done: Done, tookMs: number): void {
  const shardDir = paths.shard(done.shard);
  sync.add([...done.files.map((file) => fileOf(shardDir, file.name)), paths.done(done.shard)], tookMs);
}

/** Leaves a shard that was not finished so that the next attempt can go on, and no file is left open. */
async function leave(work: ShardWork, error: unknown): Promise<void> {
  const { runner, env } = work.context;
  const { writers } = work.state;
  try {
    if (!isWritersFault(error)) await work.checkpoint();
    work.closeCheckpoints();
    for (const writer of writersOf(work)) await writer.leave?.();
    await runner.closeWriters(writers, work.state, env);
    await closeAll(work);
  } catch {
    // The first error is the one to report; this one is about an attempt that will not be committed.
  }
}

// After a failed write the position is ahead of the file: only the last checkpoint can be trusted.
function isWritersFault(error: unknown): boolean {
  if (errnoOf(error) !== undefined) return true;
  if (error instanceof ShardInterrupted) return error.reason === "lost";
  if (!(error instanceof MillraceError)) return true;
  return error.code !== "ITEM_FAILED" && error.code !== "TOO_MANY_FAILURES" && error.code !== "BATCH_RESULT";
}

async function abandon(
  claim: ShardClaim,
  error: unknown,
  { protocol }: ShardContext,
  tell: (outcome: "released" | "failed", reason?: string) => void,
): Promise<ShardOutcome> {
  // Whoever was fenced finds its folder gone and may fail in many ways; the shard is another's concern now.
  if (!(await protocol.owns(claim))) return { kind: "lost" };
  // Not a crash: the next attempt need not be careful. On a full disk it cannot be noted; then it is careful for nothing.
  const why = error instanceof ShardInterrupted ? "it was asked to stop" : messageOf(error);
  quietly(() => noteRelease(protocol.paths.attempt(claim.unit, claim.epoch), why));
  await protocol.release(claim);
  if (!(error instanceof ShardInterrupted)) {
    tell("failed", messageOf(error));
    throw error;
  }
  if (error.reason === "leaving") tell("released");
  return { kind: error.reason === "lost" ? "lost" : "left" };
}

function addTotals({ totals }: ShardContext, counts: ShardCounts): void {
  totals.done += counts.items;
  totals.failed += counts.failed;
  totals.dropped += counts.dropped;
}

/** A hook of the user's that fails is named in the error. */
async function guardHook<T>(runner: string, hook: string, call: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause;
    throw new MillraceError("WRITER_FAILED", `${runner}.${hook} failed: ${messageOf(cause)}`, {
      cause,
      hint: "Look at the hook and at openWriters or closeWriters, which it calls. Nothing is locked: run again once it is corrected.",
    });
  }
}

/** Closes what the runner's own closeWriters may have left open. */
export async function closeAll(work: ShardWork): Promise<void> {
  for (const writer of writersOf(work)) await writer.close();
}

/** The files of a shard as their writers describe them. */
export function describedFiles(work: ShardWork): Map<string, ShardFile> {
  return new Map(
    writersOf(work).flatMap((writer) => (writer.files?.() ?? []).map((file) => [file.name, file] as const)),
  );
}

function writersOf({ state, failures }: ShardWork): Writer[] {
  return [...Object.values(state.writers).filter(keepsWriterContract), failures as Writer];
}
