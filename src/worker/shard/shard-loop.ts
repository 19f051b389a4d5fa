import type { Shard } from "../../plan/plan.ts";
import { yieldToEventLoop } from "../../runtime/yield-to-event-loop.ts";
import type { Answer } from "../calls/answer.ts";
import { type Interruption, type OpenCall, openCall } from "../calls/open-call.ts";
import { openPrefetcher, type Prefetcher } from "../calls/prefetcher.ts";
import { type CallItems, sleepUntilInterrupted, tryCall } from "../calls/try-call.ts";
import type { KeptAnswer, KnownAnswers } from "./answers.ts";
import { foldAnswer } from "./fold-result.ts";
import type { ItemGuard } from "./item-guard.ts";
import { itemsAt, nextCall } from "./next-call.ts";
import type { ShardAttempt } from "./shard-attempt.ts";
import { ShardInterrupted } from "./shard-context.ts";

// Calls that may have answered before an earlier item has, for each that may be open.
const answersPerCall = 16;
// Answers are on disk as they come, so checkpoints only keep their file short.
const checkpointAfterBytes = 1 << 20;
const checkpointAfterMs = 5000;

/** Items of one call, from the moment it begins until its results are folded. */
interface Unit extends CallItems {
  readonly call: OpenCall;
  answers: readonly Answer[] | undefined;
  kept: readonly KeptAnswer[];
}

export interface InFlightOptions {
  /** Answers of earlier attempts at the shard: their items are not called again. */
  readonly known: KnownAnswers;
  /** Called once all items have begun: the worker may claim another shard. */
  readonly onAllBegun: () => void;
}

/** The loop over the items of one shard with several calls of `forward` open. */
export class ShardLoop {
  private readonly work: ShardAttempt;
  private readonly shard: Shard;
  private readonly options: InFlightOptions;
  private readonly prefetcher: Prefetcher | undefined;
  /** Calls that have begun and are not folded, in item order. */
  private readonly units: Unit[] = [];
  /** The position of the first item that has not begun. */
  private next: number;
  private inFlight = 0;
  private longestMs = 0;
  /** An item that must run alone: it keeps the ones after it from beginning, and waits for those before it. */
  private alone: { readonly unit: Unit; isRunning: boolean } | undefined;
  private failure: { readonly error: unknown } | undefined;
  private interruption: Interruption | undefined;
  private isAwake = false;
  private onWake: (() => void) | undefined;

  constructor(work: ShardAttempt, shard: Shard, options: InFlightOptions) {
    this.work = work;
    this.shard = shard;
    this.options = options;
    this.next = work.position;
    const { prefetch } = work.hooks;
    const { env, calls } = work.context;
    this.prefetcher = prefetch === undefined ? undefined : openPrefetcher(prefetch, { env, room: calls.prefetched });
  }

  wake(): void {
    this.isAwake = true;
    this.onWake?.();
  }

  async run(): Promise<void> {
    for (;;) {
      await this.foldReady();
      this.orFail(() => this.look());
      if (this.failure !== undefined || this.interruption !== undefined) {
        if (this.inFlight === 0) break;
      } else {
        this.beginMore();
        if (this.next >= this.length) this.options.onAllBegun();
        if (this.units.length === 0 && this.next >= this.length) return;
        if (this.isCheckpointDue()) await this.checkpoint();
      }
      if (!this.isAwake)
        await new Promise<void>((resolve) => {
          this.onWake = resolve;
        });
      this.isAwake = false;
      this.onWake = undefined;
    }
    if (this.failure !== undefined) throw this.failure.error;
    throw new ShardInterrupted(this.interruption!);
  }

  /** Gives back what calls of this shard hold in the worker. */
  release(): void {
    for (const unit of this.units) this.forget(unit);
  }

  private get length(): number {
    return this.shard.to - this.shard.from;
  }

  /** Folds the answers for which no earlier item is missing. */
  private async foldReady(): Promise<void> {
    const { work } = this;
    try {
      for (let unit = this.units[0]; unit?.answers !== undefined && this.failure === undefined; unit = this.units[0]) {
        let at = 0;
        for (const answer of unit.answers) {
          const folding = foldAnswer(work, unit.indices.slice(at, at + answer.count), answer);
          if (folding !== undefined) await folding;
          at += answer.count;
        }
        this.units.shift();
        this.forget(unit);
      }
    } catch (error) {
      this.fail(error);
    }
  }

  private forget({ kept }: Unit): void {
    const { waiting } = this.work.context.calls;
    for (const { bytes } of kept) waiting.bytes -= bytes;
  }

  /** Looks whether to stop, and says how far the shard is. */
  private look(): void {
    const { work } = this;
    const { heartbeat, context } = work;
    heartbeat.beat();
    if (heartbeat.ticks[0] === work.tick) return;
    work.tick = heartbeat.ticks[0];
    work.report();
    work.flushNotes();
    // The worker shows that its event loop is not blocked.
    this.noteSpan();
    const { isStopping, isTimeUpFor } = context.worker;
    this.interrupt(work.interruption(() => isStopping() || isTimeUpFor(this.longestMs)));
  }

  private interrupt(why: Interruption | undefined): void {
    if (why === undefined) return;
    this.interruption ??= why;
    for (const { call, answers } of this.units) if (answers === undefined) call.interrupt(why);
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
    for (const { call, answers } of this.units) if (answers === undefined) call.interrupt("leaving");
    this.wake();
  }

  private beginMore(): void {
    const { calls } = this.work.context;
    const maxUnits = answersPerCall * calls.concurrency;
    while (this.next < this.length && this.alone === undefined && this.units.length < maxUnits) {
      if (this.takeKnown()) continue;
      if (calls.waiting.bytes >= calls.waiting.maxBytes && this.inFlight > 0) return;
      if (!calls.slots.isFree) break;
      this.begin(nextCall(this.work, this.shard, this.next, this.options.known));
    }
    this.prefetchMore();
  }

  private takeKnown(): boolean {
    const answer = this.options.known.get(this.next);
    if (answer === undefined || this.next + answer.count > this.length) return false;
    this.push(itemsAt(this.work, this.shard, this.next, answer.count), [answer]);
    return true;
  }

  private push(indices: readonly number[], answers?: readonly Answer[]): Unit {
    const call = openCall(this.work.attempt);
    const unit: Unit = { position: this.next, indices, call, answers: undefined, kept: [] };
    this.units.push(unit);
    this.next += indices.length;
    if (answers !== undefined) this.settle(unit, answers);
    return unit;
  }

  private begin(indices: readonly number[]): void {
    const { guard, context } = this.work;
    const { slots } = context.calls;
    const position = this.next;
    const verdict = indices.length === 1 ? guard?.verdict(position) : undefined;
    if (verdict !== undefined) {
      this.push(indices, [{ kind: "failed", count: 1, ...verdict }]);
      return;
    }
    const isAlone = indices.length === 1 && (guard?.mustRunAlone(position) ?? false);
    const unit = this.push(indices);
    this.inFlight++;
    if (isAlone) void this.runAlone(unit);
    else if (slots.tryTake()) void this.call(unit);
  }

  private async call(unit: Unit, pause?: (ms: number) => Promise<void>): Promise<void> {
    const { work, prefetcher } = this;
    const beganMs = performance.now();
    this.noteSpan();
    try {
      this.settle(unit, await tryCall(work, unit, { call: unit.call, prefetcher, pause }));
    } catch (error) {
      if (!(error instanceof ShardInterrupted)) this.fail(error);
    } finally {
      this.longestMs = Math.max(this.longestMs, performance.now() - beganMs);
      this.inFlight--;
      prefetcher?.release(unit.position, unit.indices.length);
      work.context.calls.slots.release();
      this.noteSpan();
      this.wake();
    }
  }

  /** An item that was among those running when workers ended: no other call of the worker is open meanwhile. */
  private async runAlone(unit: Unit): Promise<void> {
    const { guard, context } = this.work;
    this.alone = { unit, isRunning: false };
    await context.calls.slots.takeAll();
    this.alone.isRunning = true;
    // Nothing awaits this call: what cannot be noted ends the shard, not the process.
    const enter = () => this.orFail(() => guard?.enter(unit.position, 1));
    enter();
    await this.call(unit, async (ms) => {
      this.orFail(() => guard?.leave());
      await sleepUntilInterrupted(unit.call, ms);
      enter();
    });
    await yieldToEventLoop();
    this.alone = undefined;
    this.noteSpan();
    this.wake();
  }

  private settle(unit: Unit, answers: readonly Answer[]): void {
    const { answers: keeper, context } = this.work;
    let at = unit.position;
    const kept: KeptAnswer[] = [];
    for (const answer of answers) {
      const one = keeper!.keep(at, answer);
      kept.push(one);
      context.calls.waiting.bytes += one.bytes;
      at += answer.count;
    }
    unit.answers = answers;
    unit.kept = kept;
    keeper!.log.flush();
  }

  /** Notes which items may be the one that runs, where that is needed. */
  private noteSpan(): void {
    const { guard } = this.work;
    if (guard === undefined || this.alone?.isRunning === true) return;
    this.orFail(() => this.noteOpen(guard));
  }

  private orFail(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.fail(error);
    }
  }

  private noteOpen(guard: ItemGuard): void {
    const open = this.units.filter((unit) => unit.answers === undefined && unit !== this.alone?.unit);
    const [first, last] = [open[0], open.at(-1)];
    if (first === undefined || last === undefined) {
      this.work.leaveItems();
      return;
    }
    const span = last.position + last.indices.length - first.position;
    guard.enterSpan(first.position, span, Math.max(...open.map(({ indices }) => indices.length)));
  }

  private isCheckpointDue(): boolean {
    const { work } = this;
    const { answers, context } = work;
    if (work.writers === undefined || answers === undefined) return false;
    const sinceMs = work.sinceCheckpointMs();
    if (answers.isWhole) return answers.log.bytes > checkpointAfterBytes || sinceMs > checkpointAfterMs;
    return sinceMs > context.worker.task.options.checkpointIntervalMs * context.open.size;
  }

  private async checkpoint(): Promise<void> {
    try {
      await this.work.checkpoint();
      this.work.answers?.restart(this.units.flatMap(({ kept }) => kept));
    } catch (error) {
      this.fail(error);
    }
  }

  private prefetchMore(): void {
    if (this.prefetcher === undefined) return;
    const { options } = this.work.context.worker.task;
    const usual = Math.max(4, 2 * (options.batchSize ?? 1), this.work.context.calls.concurrency);
    const count = Math.min(options.prefetchItems ?? usual, this.length - this.next);
    if (count > 0 && !this.options.known.has(this.next))
      this.prefetcher.ahead(this.next, itemsAt(this.work, this.shard, this.next, count));
  }
}
