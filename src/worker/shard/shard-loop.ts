import type { Shard } from "../../plan/plan.ts";
import { yieldToEventLoop } from "../../runtime/yield-to-event-loop.ts";
import type { Answer } from "../calls/answer.ts";
import { type Interruption, type OpenCall, openCall } from "../calls/open-call.ts";
import { openPrefetcher, type Prefetcher } from "../calls/prefetcher.ts";
import { type CallItems, sleepUntilInterrupted, tryCall } from "../calls/try-call.ts";
import type { KeptAnswer, KnownAnswers } from "./answers.ts";
import { foldAnswer } from "./fold-result.ts";
import { itemsAt, nextCall } from "./next-call.ts";
import type { ShardAttempt } from "./shard-attempt.ts";
import { ShardInterrupted } from "./shard-context.ts";

// How many calls may have an answer while an earlier item has none, for each call that may be open.
const answersPerCall = 16;
// Answers are logged when they arrive, so checkpoints are only needed to keep the log short.
const checkpointAfterBytes = 1 << 20;
const checkpointAfterMs = 5000;

/** The items of one call, from its beginning until its results are folded. */
interface PendingCall extends CallItems {
  readonly call: OpenCall;
  answers: readonly Answer[] | undefined;
  kept: readonly KeptAnswer[];
}

export interface InFlightOptions {
  /** Answers of earlier attempts at the shard: their items are not called again. */
  readonly known: KnownAnswers;
  /** Called when all items have begun: the worker may claim another shard. */
  readonly onAllBegun: () => void;
}

/** The loop over the items of one shard with several calls of `forward` open. */
export class ShardLoop {
  private readonly work: ShardAttempt;
  private readonly shard: Shard;
  private readonly options: InFlightOptions;
  private readonly prefetcher: Prefetcher | undefined;
  /** Calls that have begun and whose results are not folded, in item order. */
  private readonly pending: PendingCall[] = [];
  /** The position of the first item that has not begun. */
  private next: number;
  private inFlight = 0;
  private longestMs = 0;
  /** An item that must run alone: it waits for the items before it, and those after it wait for it. */
  private alone: { readonly pendingCall: PendingCall; isRunning: boolean } | undefined;
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
      this.orFail(() => this.checkAndReport());
      if (this.failure !== undefined || this.interruption !== undefined) {
        if (this.inFlight === 0) break;
      } else {
        this.beginMore();
        if (this.next >= this.length) this.options.onAllBegun();
        if (this.pending.length === 0 && this.next >= this.length) return;
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

  /** Releases the memory that is counted for answers of this shard. */
  release(): void {
    for (const pendingCall of this.pending) this.forget(pendingCall);
  }

  private get length(): number {
    return this.shard.to - this.shard.from;
  }

  /** Folds the answers that do not wait for an earlier item. */
  private async foldReady(): Promise<void> {
    const { work } = this;
    try {
      for (
        let pendingCall = this.pending[0];
        pendingCall?.answers !== undefined && this.failure === undefined;
        pendingCall = this.pending[0]
      ) {
        let at = 0;
        for (const answer of pendingCall.answers) {
          const folding = foldAnswer(work, pendingCall.indices.slice(at, at + answer.count), answer);
          if (folding !== undefined) await folding;
          at += answer.count;
        }
        this.pending.shift();
        this.forget(pendingCall);
      }
    } catch (error) {
      this.fail(error);
    }
  }

  private forget({ kept }: PendingCall): void {
    const { waiting } = this.work.context.calls;
    for (const { bytes } of kept) waiting.bytes -= bytes;
  }

  /** Checks whether to stop, and reports the progress of the shard. */
  private checkAndReport(): void {
    const { work } = this;
    const { heartbeat, context } = work;
    heartbeat.beat();
    if (heartbeat.ticks[0] === work.tick) return;
    work.tick = heartbeat.ticks[0];
    work.report();
    work.flushNotes();
    // Also shows the heartbeat that the event loop is not blocked.
    this.noteSpan();
    const { isStopping, isTimeUpFor } = context.worker;
    this.interrupt(work.interruption(() => isStopping() || isTimeUpFor(this.longestMs)));
  }

  private interrupt(why: Interruption | undefined): void {
    if (why === undefined) return;
    this.interruption ??= why;
    for (const { call, answers } of this.pending) if (answers === undefined) call.interrupt(why);
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
    for (const { call, answers } of this.pending) if (answers === undefined) call.interrupt("leaving");
    this.wake();
  }

  private beginMore(): void {
    const { calls } = this.work.context;
    const maxPending = answersPerCall * calls.concurrency;
    while (this.next < this.length && this.alone === undefined && this.pending.length < maxPending) {
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

  private push(indices: readonly number[], answers?: readonly Answer[]): PendingCall {
    const call = openCall(this.work.attempt);
    const pendingCall: PendingCall = { position: this.next, indices, call, answers: undefined, kept: [] };
    this.pending.push(pendingCall);
    this.next += indices.length;
    if (answers !== undefined) this.settle(pendingCall, answers);
    return pendingCall;
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
    const pendingCall = this.push(indices);
    this.inFlight++;
    if (isAlone) void this.runAlone(pendingCall);
    else if (slots.tryTake()) void this.call(pendingCall);
  }

  private async call(pendingCall: PendingCall, pause?: (ms: number) => Promise<void>): Promise<void> {
    const { work, prefetcher } = this;
    const beganMs = performance.now();
    this.noteSpan();
    try {
      this.settle(pendingCall, await tryCall(work, pendingCall, { call: pendingCall.call, prefetcher, pause }));
    } catch (error) {
      if (!(error instanceof ShardInterrupted)) this.fail(error);
    } finally {
      this.longestMs = Math.max(this.longestMs, performance.now() - beganMs);
      this.inFlight--;
      prefetcher?.release(pendingCall.position, pendingCall.indices.length);
      work.context.calls.slots.release();
      this.noteSpan();
      this.wake();
    }
  }

  /** Runs an item that was among those running when workers ended. No other call of the worker is open in the meantime. */
  private async runAlone(pendingCall: PendingCall): Promise<void> {
    const { guard, context } = this.work;
    this.alone = { pendingCall, isRunning: false };
    await context.calls.slots.takeAll();
    this.alone.isRunning = true;
    const enter = () => this.orFail(() => guard?.enter(pendingCall.position, 1));
    enter();
    await this.call(pendingCall, async (ms) => {
      this.orFail(() => guard?.leave());
      await sleepUntilInterrupted(pendingCall.call, ms);
      enter();
    });
    await yieldToEventLoop();
    this.alone = undefined;
    this.noteSpan();
    this.wake();
  }

  private settle(pendingCall: PendingCall, answers: readonly Answer[]): void {
    const { answers: keeper, context } = this.work;
    let at = pendingCall.position;
    const kept: KeptAnswer[] = [];
    for (const answer of answers) {
      const one = keeper!.keep(at, answer);
      kept.push(one);
      context.calls.waiting.bytes += one.bytes;
      at += answer.count;
    }
    pendingCall.answers = answers;
    pendingCall.kept = kept;
    keeper!.log.flush();
  }

  /** Notes which items may be running, if a guard needs it. */
  private noteSpan(): void {
    const { guard } = this.work;
    if (guard === undefined || this.alone?.isRunning === true) return;
    this.orFail(() => {
      const open = this.pending.filter((one) => one.answers === undefined && one !== this.alone?.pendingCall);
      const [first, last] = [open[0], open.at(-1)];
      if (first === undefined || last === undefined) return this.work.leaveItems();
      const span = last.position + last.indices.length - first.position;
      guard.enterSpan(first.position, span, Math.max(...open.map(({ indices }) => indices.length)));
    });
  }

  /** An error of `act` ends the shard: nothing awaits the callers. */
  private orFail(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.fail(error);
    }
  }

  private isCheckpointDue(): boolean {
    const { work } = this;
    const { answers, context } = work;
    if (work.writers === undefined || answers === undefined) return false;
    const sinceMs = work.sinceCheckpointMs();
    if (answers.isComplete) return answers.log.bytes > checkpointAfterBytes || sinceMs > checkpointAfterMs;
    return sinceMs > context.worker.task.options.checkpointIntervalMs * context.open.size;
  }

  private async checkpoint(): Promise<void> {
    try {
      await this.work.checkpoint();
      this.work.answers?.restart(this.pending.flatMap(({ kept }) => kept));
    } catch (error) {
      this.fail(error);
    }
  }

  private prefetchMore(): void {
    if (this.prefetcher === undefined) return;
    const { options } = this.work.context.worker.task;
    const defaultCount = Math.max(4, 2 * (options.batchSize ?? 1), this.work.context.calls.concurrency);
    const count = Math.min(options.prefetchItems ?? defaultCount, this.length - this.next);
    if (count > 0 && !this.options.known.has(this.next))
      this.prefetcher.ahead(this.next, itemsAt(this.work, this.shard, this.next, count));
  }
}
