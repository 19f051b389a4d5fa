import { isThenable } from "../shared/is-thenable.ts";
import { encodeState } from "../shared/state-json.ts";
import { yieldToEventLoop } from "../shared/yield-to-event-loop.ts";
import { type ItemNotes, openItemNotes } from "../store/attempt-notes.ts";
import {
  type CheckpointLog,
  type FilePrefix,
  openCheckpointLog,
  type Restored,
  removeCheckpointFiles,
} from "../store/checkpoint.ts";
import type { ShardCounts } from "../store/done.ts";
import type { LineWriter } from "../writers/line-writer.ts";
import { type CheckpointingWriter, checkpointingWriters } from "../writers/writer.ts";
import { type CheckpointInterval, checkpointInterval } from "./checkpoint-interval.ts";
import { type DearCheckpoint, tellDearCheckpoints, tellNoCheckpoints } from "./checkpoint-notices.ts";
import { countWrites } from "./count-writes.ts";
import { type CrashHistory, judgeCrashes } from "./crash-history.ts";
import { type FailureRecord, openFailureLog } from "./failure-log.ts";
import { type ItemGuard, openItemGuard } from "./item-guard.ts";
import type { ShardState } from "./runner-hooks.ts";
import { type ShardContext, ShardInterrupted } from "./shard-context.ts";
import { ownState } from "./shard-state.ts";

// A figure that an unlucky moment has spoiled is forgotten within some shards, even if they are too short to be measured in.
const forgetting = 0.9;
const yieldEveryMs = 100;
// One that an unlucky moment has made dear is not worth a word.
const dearInARow = 2;
const failuresKey = "$failures";
const noHistory = judgeCrashes([], { retries: 0 });

/** One attempt at one shard while it runs: where it stands, what it counted, and its checkpoints. */
export class ShardWork {
  readonly context: ShardContext;
  readonly epoch: number;
  readonly failures: LineWriter<FailureRecord>;
  /** The writers that can be checkpointed; undefined where one of them cannot. */
  readonly writers: Map<string, CheckpointingWriter> | undefined;
  /** Where results go straight to, if no hook of the runner's own stands in between. */
  readonly records: LineWriter<unknown> | undefined;
  /** Takes an item that failed for good; the retry of failed items has its own. */
  onFailure: (failure: FailureRecord) => void;
  state: ShardState;
  /** The heartbeat's tick that was answered last. */
  tick: number | undefined;
  position = 0;
  /** How often the hooks have written since the item began; counted where the hooks are the runner's own. */
  writes = 0;
  /** False where a writer cannot be watched. */
  readonly areWritesCounted: boolean;
  dropped = 0;
  failed = 0;
  /** Where it stood when this attempt took it up. */
  began: { readonly position: number; readonly failed: number } = { position: 0, failed: 0 };
  /** Stands before each call of `forward`, where one is needed. */
  readonly guard: ItemGuard | undefined;
  private readonly savedWriters: readonly (readonly [string, CheckpointingWriter])[];
  private readonly notes: ItemNotes | undefined;
  private readonly log: CheckpointLog;
  private sequence = 0;
  private lastCheckpointMs = performance.now();

  constructor(context: ShardContext, epoch: number, state: ShardState, history: CrashHistory = noHistory) {
    this.context = context;
    this.epoch = epoch;
    this.state = state;
    this.failures = openFailureLog(state.shardDir);
    this.records = context.traits.standardFiles ? (state.writers["records"] as LineWriter<unknown>) : undefined;
    this.onFailure = (failure) => this.failures.write(failure);
    this.tick = context.heartbeat.ticks[0];
    this.areWritesCounted = this.records !== undefined || countWrites(state.writers, () => void this.writes++);
    this.writers = checkpointingWriters(state.writers);
    if (this.writers === undefined) tellNoCheckpoints(context.notices, context.runner.name, state.writers);
    this.savedWriters = [...(this.writers ?? []), [failuresKey, this.failures]];
    this.log = openCheckpointLog(state.shardDir);
    context.pace.checkpointCostMs *= forgetting;
    const { heartbeat, options } = context;
    if (!history.isCareful && options.itemTimeoutMs === undefined) return;
    this.notes = history.isCareful ? openItemNotes(state.shardDir) : undefined;
    this.guard = openItemGuard({ history, notes: this.notes, heartbeat });
  }

  /** Goes on from where an earlier attempt stood. */
  async restore(restored: Restored): Promise<void> {
    if (restored.kind !== "checkpoint" || this.writers === undefined) return;
    const { checkpoint } = restored;
    const files = new Map(checkpoint.files.map((file) => [file.name, file]));
    for (const [key, writer] of this.savedWriters) {
      const saved = checkpoint.writers[key] as { files: string[]; token?: unknown } | undefined;
      if (saved !== undefined)
        await writer.restore({ files: saved.files.map((name) => files.get(name)!), token: saved.token });
    }
    ({ position: this.position, sequence: this.sequence } = checkpoint);
    ({ dropped: this.dropped, failed: this.failed } = checkpoint.counts);
    this.began = { position: this.position, failed: this.failed };
    this.context.heartbeat.goOnFrom(this.position);
    this.context.budget.recall(this.failed);
  }

  /** Time has passed: looks whether to stop, saves a checkpoint if one is due, and lets the process breathe. */
  async onTick(): Promise<void> {
    const { heartbeat, isLeaving, isTooLarge, pace, protocol, sync } = this.context;
    this.tick = heartbeat.ticks[0];
    this.report();
    if (heartbeat.isLost()) throw new ShardInterrupted("lost");
    if (isLeaving()) throw new ShardInterrupted("leaving");
    // A shard that would have to begin anew would never end.
    if (this.writers !== undefined && isTooLarge?.()) throw new ShardInterrupted("leaving");
    const now = performance.now();
    if (now - this.lastCheckpointMs >= this.interval(pace.checkpointCostMs).intervalMs) await this.checkpoint();
    if (now - pace.lastYieldMs < yieldEveryMs) return;
    sync.poke();
    protocol.history.flush();
    await yieldToEventLoop();
    pace.lastYieldMs = performance.now();
  }

  /** Saves where the shard stands, if its writers can. */
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
    const state = encodeState(ownState(this.state));
    const counts = { dropped, failed };
    const totalBytes = this.log.save({ sequence: ++this.sequence, position, counts, files, writers, state });
    this.lastCheckpointMs = performance.now();
    const { pace } = this.context;
    const costMs = this.lastCheckpointMs - beganMs;
    pace.checkpointCostMs = pace.checkpointCostMs * 0.8 + costMs * 0.2;
    this.tellIfDear(costMs, { stateBytes: state.length, totalBytes });
  }

  private interval(costMs: number): CheckpointInterval {
    const { options, pace } = this.context;
    const workedMs = performance.now() - pace.beganMs;
    return checkpointInterval({ optionMs: options.checkpointIntervalMs, costMs, workedMs });
  }

  private tellIfDear(costMs: number, size: Pick<DearCheckpoint, "stateBytes" | "totalBytes">): void {
    const { notices, pace } = this.context;
    const { intervalMs, boundMs } = this.interval(costMs);
    pace.dearCheckpoints = intervalMs > boundMs ? pace.dearCheckpoints + 1 : 0;
    if (pace.dearCheckpoints < dearInARow) return;
    tellDearCheckpoints(notices, { unit: this.state.shardId, costMs, intervalMs, boundMs, ...size });
  }

  /** Leaves nothing in the folder but the shard's own files. */
  discardMachinery(): void {
    this.log.discard();
    if (!this.context.traits.standardFiles) removeCheckpointFiles(this.state.shardDir);
    this.notes?.discard();
  }

  closeCheckpoints(): void {
    this.log.close();
  }

  counts(): ShardCounts {
    const { position, dropped, failed } = this;
    return { items: position, written: position - dropped - failed, dropped, failed };
  }

  private report(): void {
    const { heartbeat, totals } = this.context;
    heartbeat.count({
      position: this.position,
      done: totals.done + this.position,
      failed: totals.failed + this.failed,
      dropped: totals.dropped + this.dropped,
    });
  }
}
