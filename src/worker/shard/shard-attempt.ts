import type { RunnerHooks, ShardState } from "../../contract/runner-hooks.ts";
import { errnoOf, isMillraceError, MillraceError, messageOf } from "../../errors/errors.ts";
import { type ItemNotes, openItemNotes } from "../../run-folder/history/attempt-notes.ts";
import {
  type CheckpointLog,
  type FilePrefix,
  openCheckpointLog,
  type Restored,
  removeCheckpointFiles,
} from "../../run-folder/shard/checkpoint.ts";
import type { ShardCounts } from "../../run-folder/shard/done.ts";
import { userState } from "../../run-folder/shard/shard-state.ts";
import { isThenable } from "../../runtime/is-thenable.ts";
import { yieldToEventLoop } from "../../runtime/yield-to-event-loop.ts";
import { encodeState } from "../../values/state-json.ts";
import type { LineWriter } from "../../writers/line-writer.ts";
import { type CheckpointingWriter, checkpointingWriters, type WriterCheckpoint } from "../../writers/writer.ts";
import { type Interruption, type OpenCall, openCall } from "../calls/open-call.ts";
import type { Heartbeat } from "../heartbeat/heartbeat.ts";
import type { Hold } from "../heartbeat/hold-claim.ts";
import type { ShardClaim } from "../lease-protocol.ts";
import type { AnswerKeeper } from "./answers.ts";
import { type CheckpointInterval, checkpointInterval } from "./checkpoint-interval.ts";
import { type SlowCheckpoint, warnNoCheckpoints, warnSlowCheckpoints } from "./checkpoint-notices.ts";
import { countWrites } from "./count-writes.ts";
import { type CrashHistory, judgeCrashes } from "./crash-history.ts";
import { type FailureRecord, openFailureLog } from "./failure-log.ts";
import { type ItemGuard, openItemGuard } from "./item-guard.ts";
import { countsOfWorker, type ShardContext, ShardInterrupted } from "./shard-context.ts";

// Each shard lowers the average cost of a checkpoint: after one slow checkpoint, shards that are too short to save any
// would keep it forever.
const costDecay = 0.9;
const yieldEveryMs = 100;
// Consecutive slow checkpoints before the warning: a single one may be slow by chance.
const minSlowCheckpoints = 2;
const failuresKey = "$failures";
const noHistory = judgeCrashes([], { retries: 0 });

/** A claimed shard, and the lease on it. */
export interface HeldShard {
  readonly claim: ShardClaim;
  readonly hold: Hold;
}

/** One attempt at one shard while it runs: its position, its counts and its checkpoints. */
export class ShardAttempt {
  readonly context: ShardContext;
  // Fields and not read through the context, because they are used for every item.
  readonly hooks: RunnerHooks;
  readonly env: object;
  readonly heartbeat: Heartbeat;
  /** The lease on the shard. */
  readonly hold: Hold;
  readonly attempt: number;
  /** The context of its calls of `forward`, if they come one after the other. */
  readonly call: OpenCall;
  readonly failures: LineWriter<FailureRecord>;
  /** The writers, if all of them support checkpoints; otherwise undefined. */
  readonly writers: Map<string, CheckpointingWriter> | undefined;
  /** The writer of results, if the runner has no hook for that. */
  readonly records: LineWriter<unknown> | undefined;
  /** Records an item that failed in all its tries. The retry of failed items replaces this function. */
  onFailure: (failure: FailureRecord) => void;
  state: ShardState;
  /** The last tick of the heartbeat that `onTick` has seen. */
  tick: number | undefined;
  position = 0;
  /** Writes since the item began. Counted only if the runner has its own hooks. */
  writes = 0;
  /** False if a writer cannot be wrapped to count its writes. */
  readonly areWritesCounted: boolean;
  dropped = 0;
  failed = 0;
  /** The position and count with which this attempt began. */
  began: { readonly position: number; readonly failed: number } = { position: 0, failed: 0 };
  /** Keeps answers on disk until an earlier item is written, if several calls may be open. */
  answers: AnswerKeeper | undefined;
  /** Called before each `forward`, if this attempt needs it. */
  readonly guard: ItemGuard | undefined;
  private readonly savedWriters: readonly (readonly [string, CheckpointingWriter])[];
  private readonly notes: ItemNotes | undefined;
  private readonly log: CheckpointLog;
  private sequence = 0;
  private lastCheckpointMs = performance.now();

  constructor(context: ShardContext, { claim, hold }: HeldShard, state: ShardState, history: CrashHistory = noHistory) {
    const { hooks, traits, options } = context.worker.task;
    this.context = context;
    this.hooks = hooks;
    this.env = context.env;
    this.heartbeat = context.worker.member.heartbeat;
    this.hold = hold;
    this.attempt = claim.attempt;
    this.call = openCall(claim.attempt);
    context.open.add(this);
    this.state = state;
    this.failures = openFailureLog(state.shardDir);
    this.records = traits.standardFiles ? (state.writers["records"] as LineWriter<unknown>) : undefined;
    this.onFailure = (failure) => this.failures.write(failure);
    this.tick = this.heartbeat.ticks[0];
    this.areWritesCounted = this.records !== undefined || countWrites(state.writers, () => void this.writes++);
    this.writers = checkpointingWriters(state.writers);
    if (this.writers === undefined) warnNoCheckpoints(context.notices, hooks.name, state.writers);
    this.savedWriters = [...(this.writers ?? []), [failuresKey, this.failures]];
    this.log = openCheckpointLog(state.shardDir);
    context.pace.checkpointCostMs *= costDecay;
    if (!history.isCareful && options.itemTimeoutMs === undefined) return;
    this.notes = history.isCareful ? openItemNotes(state.shardDir) : undefined;
    this.guard = openItemGuard({ history, notes: this.notes, hold });
  }

  /** Continues from the checkpoint of an earlier attempt. */
  async restore(restored: Restored): Promise<void> {
    if (restored.kind !== "checkpoint" || this.writers === undefined) return;
    const { checkpoint } = restored;
    const files = new Map(checkpoint.files.map((file) => [file.name, file]));
    for (const [key, writer] of this.savedWriters) {
      const saved = checkpoint.writers[key] as { files: string[]; token?: unknown } | undefined;
      if (saved !== undefined)
        await restoreWriter(writer, { files: saved.files.map((name) => files.get(name)!), token: saved.token });
    }
    ({ position: this.position, sequence: this.sequence } = checkpoint);
    ({ dropped: this.dropped, failed: this.failed } = checkpoint.counts);
    this.began = { position: this.position, failed: this.failed };
    this.hold.resumeAt(this.position);
    this.context.budget.addPrior(this.failed);
  }

  /** Called after a tick: checks whether to stop, saves a checkpoint if one is due, and yields to the event loop. */
  async onTick(): Promise<void> {
    const { pace, worker } = this.context;
    this.tick = this.heartbeat.ticks[0];
    this.report();
    const interruption = this.interruption(worker.isLeaving);
    if (interruption !== undefined) throw new ShardInterrupted(interruption);
    if (this.sinceCheckpointMs() >= this.interval(pace.checkpointCostMs).intervalMs) await this.checkpoint();
    if (performance.now() - pace.lastYieldMs < yieldEveryMs) return;
    this.flushNotes();
    await yieldToEventLoop();
    pace.lastYieldMs = performance.now();
  }

  /** Why the shard must be left now; undefined if it need not. */
  interruption(isLeaving: () => boolean): Interruption | undefined {
    if (this.hold.isLost()) return "lost";
    if (isLeaving()) return "leaving";
    // Without checkpoints the shard would start over each time and never end.
    return this.writers !== undefined && this.context.worker.isTooLarge?.() ? "leaving" : undefined;
  }

  /**
   * Notes that no item of this shard runs: if the worker ends now, the cause is a hook of this shard or a call of
   * another one.
   */
  leaveItems(): void {
    if (this.context.open.size > 1) this.guard?.idle();
    else this.guard?.leave();
  }

  sinceCheckpointMs(): number {
    return performance.now() - this.lastCheckpointMs;
  }

  /** Flushes committed files and the history of attempts to the disk. */
  flushNotes(): void {
    const { sync, worker } = this.context;
    sync.startIfDue();
    worker.member.history.flush();
  }

  /** Saves a checkpoint of the shard, if its writers support it. */
  async checkpoint(): Promise<void> {
    if (this.writers === undefined) return;
    const beganMs = performance.now();
    const files: FilePrefix[] = [];
    const writers: Record<string, unknown> = {};
    for (const [key, writer] of this.savedWriters) {
      const answer = writer.checkpoint();
      const saved = isThenable(answer) ? await answer : answer;
      for (const file of saved.files) files.push(file);
      writers[key] = { files: saved.files.map((file) => file.name), token: saved.token };
    }
    const { position, dropped, failed } = this;
    const state = encodeState(userState(this.state));
    const counts = { dropped, failed };
    const totalBytes = this.log.save({ sequence: ++this.sequence, position, counts, files, writers, state });
    this.lastCheckpointMs = performance.now();
    const { pace } = this.context;
    const costMs = this.lastCheckpointMs - beganMs;
    pace.checkpointCostMs = pace.checkpointCostMs * 0.8 + costMs * 0.2;
    this.warnIfSlow(costMs, { stateBytes: state.length, totalBytes });
  }

  private interval(costMs: number): CheckpointInterval {
    const { worker, pace } = this.context;
    const workedMs = performance.now() - pace.beganMs;
    return checkpointInterval({ optionMs: worker.task.options.checkpointIntervalMs, costMs, workedMs });
  }

  private warnIfSlow(costMs: number, size: Pick<SlowCheckpoint, "stateBytes" | "totalBytes">): void {
    const { notices, pace } = this.context;
    const { intervalMs, boundMs } = this.interval(costMs);
    pace.slowCheckpoints = intervalMs > boundMs ? pace.slowCheckpoints + 1 : 0;
    if (pace.slowCheckpoints < minSlowCheckpoints) return;
    warnSlowCheckpoints(notices, { shard: this.state.shardId, costMs, intervalMs, boundMs, ...size });
  }

  /** Removes everything from the folder but the shard's output. */
  discardMachinery(): void {
    this.log.discard();
    this.answers?.log.discard();
    if (!this.context.worker.task.traits.standardFiles) removeCheckpointFiles(this.state.shardDir);
    this.notes?.discard();
  }

  closeCheckpoints(): void {
    this.log.close();
    this.answers?.log.close();
  }

  counts(): ShardCounts {
    const { position, dropped, failed } = this;
    return { items: position, written: position - dropped - failed, dropped, failed };
  }

  /** Reports the progress of this shard and its worker to the heartbeat. */
  report(): void {
    this.hold.count(this.position);
    this.heartbeat.count(countsOfWorker(this.context));
  }
}

/** Restores a writer. Only the writer knows whether its part of a checkpoint is valid. */
async function restoreWriter(writer: CheckpointingWriter, saved: WriterCheckpoint): Promise<void> {
  try {
    await writer.restore(saved);
  } catch (cause) {
    if (isMillraceError(cause) || errnoOf(cause) !== undefined) throw cause;
    throw new MillraceError("WRITER_FAILED", `A writer cannot continue from its checkpoint: ${messageOf(cause)}`, {
      cause,
      hint: "Correct its `restore`; or remove the folder of the attempt (`attempts/N.E.fenced`), and the shard starts over.",
    });
  }
}
